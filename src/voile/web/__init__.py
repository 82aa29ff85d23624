"""The workbench: web pages over the verbs of flow, on the user's own machine. They have no logic of their own.

serve.py    start, stop, and what is deleted at the end
app.py      which address leads where
guard.py    who may ask, and what is answered to everybody else
desk.py     what one visitor has clicked so far
forms.py    forms from the registry of plug-ins, and back to a spec
places.py   which files may be named
jobs.py     work in another process, seen from here
worker.py   that process, and tasks.py what it can do
steps/      a file for each step of the page
"""
