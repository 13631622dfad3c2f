"""Is agreement evidence of faithfulness?"""
