import { parseCommand } from './judge-command.ts'

type Words = readonly (readonly string[])[]
let last: { command: string; words: Words; texts: readonly string[] } = { command: '', words: [], texts: [''] }

/** The words of each program in an SSH command, as the gate reads them; none where it cannot, which is refused anyway. */
export const commandWords = (command: string): Words => read(command).words

/** All that a command can be called: as it was written, as the gate reads it, and each of its programs by itself. */
export const commandTexts = (command: string): readonly string[] => read(command).texts

/** Every rule of one verdict asks for the same command. */
function read(command: string) {
  if (last.command !== command) {
    const parsed = parseCommand(command)
    const words = parsed.ok ? parsed.stages : []
    const stages = words.map((stage) => stage.join(' '))
    last = { command, words, texts: [command, stages.join(' | '), ...stages].map((text) => text.toLowerCase()) }
  }
  return last
}
