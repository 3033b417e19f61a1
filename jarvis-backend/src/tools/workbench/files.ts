import { editFile } from './edit-file.ts'
import { globFiles } from './glob-files.ts'
import { grepFiles } from './grep-files.ts'
import { readFile } from './read-file.ts'
import { restoreFiles } from './restore-files.ts'
import { writeFile } from './write-file.ts'

/** The tools over files of the host. */
export const fileTools = [readFile, globFiles, grepFiles, writeFile, editFile, restoreFiles]
