"""Archives of the record: export, import and verification.

The format: `tables` says which tables and columns an archive has, and how rows are numbered;
`cells` how values are written as CSV; `data_package` describes the files to other programs;
`container` is the zip with its manifest and checksums; `earlier` reads what versions 1 and 2 had
in place of saved results. `exporting` writes an archive. `importing` records one: `reading` yields
its rows, `inserting` and `shared` give them ids of the database.
"""
