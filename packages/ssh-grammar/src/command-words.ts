import { parseCommand } from './judge-command.ts'

type Words = readonly (readonly string[])[]
let last: { command: string; words: Words; texts: readonly string[] } = { command: '', words: [], texts: [''] }

/** Returns the words of each program in an SSH command; empty if it cannot be parsed. Such a command is refused anyway. */
export const commandWords = (command: string): Words => read(command).words

/** Returns the forms of a command that rules match: as written, as parsed, and each of its programs, in lower case. */
export const commandTexts = (command: string): readonly string[] => read(command).texts

/** Parses a command, or returns the last result if the command is the same, because all rules of a verdict read the same command. */
function read(command: string) {
  if (last.command !== command) {
    const parsed = parseCommand(command)
    const words = parsed.ok ? parsed.stages : []
    const stages = words.map((stage) => stage.join(' '))
    last = { command, words, texts: [command, stages.join(' | '), ...stages].map((text) => text.toLowerCase()) }
  }
  return last
}
