import { readFileSync } from 'node:fs'

/** One command a line; an empty line and `# …` part the classes. */
const rows = (name: string): string[] =>
  readFileSync(new URL(`./${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((row) => row.trim() !== '' && !row.startsWith('# '))

/** Commands that write, run, escape, show secrets or never end: none of them may run, asked or not. */
export const hostileCommands = rows('ssh-hostile')
/** Commands that operators and models read with all day: all of them run without a question. */
export const neededCommands = rows('ssh-needed')
/** Bounded, common changes: a person is asked. */
export const changingCommands = rows('ssh-changes')
