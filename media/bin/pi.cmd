@echo off
rem Hookline's command line, for programs of hooks that start "pi".
if not defined HOOKLINE_NODE set HOOKLINE_NODE=node
set ELECTRON_RUN_AS_NODE=1
"%HOOKLINE_NODE%" "%~dp0..\..\dist\cli.js" %*
