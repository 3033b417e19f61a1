import { parseCommand } from './ssh.ts'

let last: { command: string; words: readonly (readonly string[])[] } = { command: '', words: [] }

/** The words of each program in an SSH command, as the gate reads them; none where it cannot, which is refused anyway. */
export function commandWords(command: string): readonly (readonly string[])[] {
  // Every rule of one verdict asks for the same command.
  if (last.command !== command) {
    const parsed = parseCommand(command)
    last = { command, words: parsed.ok ? parsed.stages : [] }
  }
  return last.words
}
