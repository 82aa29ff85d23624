"""The workbench: a page over the verbs of voile, on your own machine. It has no logic of its own.

serve.py           start, stop, and delete everything at the end
app.py             which address leads where
access_control.py  who may ask, and what everybody else is told
visits.py          what one visitor has clicked so far
forms.py           forms made from the registry of plug-ins, and read back into a spec
form_labels.py     how messages mention the fields of the forms
page_rendering.py  templates and their filters; the templates are in pages/
received_files.py  which files may be named, and release folders from a zip
jobs.py            work in another process, seen from here
worker.py          that process; tasks/ has what it can do
steps/             one file per step of the page
"""
