import { parseCommand } from './judge-command.ts'

type Words = readonly (readonly string[])[]
let last: { command: string; words: Words; texts: readonly string[] } = { command: '', words: [], texts: [''] }

/** The words of each program in an SSH command; empty where it cannot be parsed, which is refused anyway. */
export const commandWords = (command: string): Words => read(command).words

/** Forms of a command for rules: as written, as parsed, and each of its programs, in lower case. */
export const commandTexts = (command: string): readonly string[] => read(command).texts

/** Parses a command, or returns the last result: all rules of a verdict ask about the same command. */
function read(command: string) {
  if (last.command !== command) {
    const parsed = parseCommand(command)
    const words = parsed.ok ? parsed.stages : []
    const stages = words.map((stage) => stage.join(' '))
    last = { command, words, texts: [command, stages.join(' | '), ...stages].map((text) => text.toLowerCase()) }
  }
  return last
}
