import { fenced, quotedInline } from '../words.ts'
import { type Finding, type Inquiry, notDone, type Reads, read } from './inquiry.ts'

/**
 * Runs a command once on a view of a folder, shows its output, and asks for its changes to be made. @param folder absent: the conversation's own
 * folder
 */
export function rehearsed(command: string, folder: string | undefined): Inquiry {
  const run = read('run_command', { command, folder })
  return {
    find(seen): Reads | Finding {
      const ran = seen.of(run)
      if (ran === undefined) return { reads: [run] }
      const said = notDone(ran, quotedInline(command))
      if (said !== undefined && !/^cmd_\S+: /.test(ran.text)) return { say: said }
      const [about = '', output = ''] = ran.text.split(/\noutput:\n?/, 2)
      const [head = ''] = about.split('\n')
      const id = /^apply_changes with command (\S+) asks for that\.$/m.exec(about)?.[1]
      const words = [
        `It ran once, in the sandbox: ${head.replace(/^cmd_\S+: /, '')}`,
        output.trim() === '' ? '' : fenced(output.trim()),
        id === undefined ? '' : 'Nothing is changed yet. The card shows what it would change; it does not run again.',
      ]
      return {
        say: words.filter((part) => part !== '').join('\n\n'),
        ...(id !== undefined && { act: read('apply_changes', { command: id }) }),
      }
    },
    check: (_seen, act) => ({ say: notDone(act, 'the folder') ?? `Very good, sir. ${act.text}` }),
  }
}
