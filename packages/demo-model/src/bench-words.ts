import type { Outcome } from './seen.ts'
import { fenced, plain } from './words.ts'

export const benchReads: readonly string[] = ['read_file', 'glob_files', 'grep_files', 'read_git']

/** Shows the content of files and repositories: the first line as a sentence, the rest as it is. */
export function benchWords({ toolName, toolInput, text }: Outcome): string {
  const [head = '', ...rest] = text.split('\n')
  if (toolName === 'read_git')
    return `Git says of ${plain(String(toolInput.repo))}, ${String(toolInput.what)}:\n\n${fenced(text)}`
  if (toolName === 'read_file' && toolInput.path === undefined)
    return `These are the folders that I may read, sir:\n\n${text
      .split('\n')
      .map((line) => `- ${plain(line)}`)
      .join('\n')}\n\nSay “which files are in” and a folder’s name.`
  if (rest.length === 0) return plain(head)
  if (toolName === 'glob_files') return `${plain(head)}\n\n${rest.map((line) => `- ${plain(line)}`).join('\n')}`
  const said = head.replace(/, mode \d+, hash [0-9a-f]+/, '')
  return `${plain(said)}${/[.:]$/.test(said) ? '' : ':'}\n\n${fenced(rest.join('\n'))}`
}
