// AG News, world or business, descriptions only: 3798 test texts as Jain & Wallace have them.
(import 'common.libsonnet') { data: 'ag_news' }
