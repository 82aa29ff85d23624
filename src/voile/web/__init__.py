"""The workbench: a page on your own machine that calls the verbs of voile. It has no logic of its own.

serve.py           start, stop, and delete everything at the end
app.py             the addresses and their handlers
access_control.py  who may use the workbench, and how other requests are refused
visits.py          the state of each visitor
forms.py           forms made from the registry of plug-ins, and read back into a spec
form_labels.py     how messages mention the fields of the forms
page_rendering.py  templates and their filters; the templates are in pages/
form_bodies.py     the body of a request as a form, or the reason why it is refused
connections.py     deadlines for slow clients, and a limit on connections
received_files.py  the files that a visitor may name
release_zips.py    release folders from a zip
private_storage.py the private folder of a visit, and its quota
jobs.py            work in another process, as the server sees it
worker.py          that process; tasks/ has the work that it does
steps/             one file per step of the page
"""
