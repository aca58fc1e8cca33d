// What the parts of the Windows service host have in common: where things lie, and a process that ends with this one.
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <stdio.h>

/* A running program with the other ends of its streams; `process` is NULL when there is none. */
typedef struct {
  HANDLE process, job, toIt, fromIt;
  DWORD id;
} Child;

extern wchar_t programFolder[MAX_PATH], dataFolder[MAX_PATH];

/* Learns both folders. */
void findFolders(void);
/* The program of the version that the file `pointer` ("current" or "proven") names. */
BOOL programOf(const wchar_t *pointer, wchar_t *path);
/* Below the data folder. */
BOOL isThere(const wchar_t *name);
/* Where what children print goes. Inheritable. */
HANDLE openLog(void);
/* Keeps the log small, also while it is being written. */
void trimLog(void);

/* Starts `"program" words`. Its output goes to the log, or, if it talks to us, to `fromIt`. */
BOOL startChild(Child *child, const wchar_t *program, const wchar_t *words, BOOL talks);
/* A job whose processes end when its last handle is closed: when this process is over, however it ends. */
HANDLE endingWithUs(void);
/* Closes its input, waits that long, then ends it with all that it started. Gives its exit code. */
DWORD endChild(Child *child, DWORD patienceMs);
/* Of one that has ended by itself. */
DWORD forgetChild(Child *child);

/* `pithead.exe` of the program folder: runs the current version with the same words. Gives its exit code. */
int launch(void);
