// 20 Newsgroups, baseball or hockey, on Jain & Wallace's split: 1142 / 277 / 357 messages.
(import 'common.libsonnet') { data: '20news' }
