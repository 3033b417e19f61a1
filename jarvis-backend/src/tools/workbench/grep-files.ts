import { z } from 'zod'
import { pathEffect } from '../../gate/index.ts'
import { shownPath } from '../../workbench/files/entry.ts'
import { globPattern } from '../../workbench/files/glob.ts'
import { grepFiles as grep } from '../../workbench/files/grep.ts'
import { lookAt } from '../../workbench/files/look.ts'
import { filesBelow, type Tree } from '../../workbench/files/tree.ts'
import { fileTool, opened, Path, readsPath } from './file-tool.ts'

export const grepFiles = fileTool({
  ...readsPath,
  name: 'grep_files',
  title: 'Search files of the host',
  description:
    'Finds lines that a regular expression matches, in one file or in all text files below a folder of the workbench. Returns path, line number and line. Follows no links, and leaves out .git, what may hold secrets, and files over 2 MB.',
  timeoutMs: 30_000,
  input: z.strictObject({
    pattern: z.string().min(1).max(500).describe('A regular expression for one line.'),
    path: Path.describe('A root, a folder in it, or one file.'),
    glob: z.string().min(1).max(300).optional().describe('Only files whose path in the folder fits, such as **/*.yml.'),
    ignoreCase: z.boolean().default(false),
    limit: z.int().min(1).max(500).default(100),
  }),
  effects: ({ path }, world) => [pathEffect({ kind: 'read', path }, world)],
  async run({ pattern, path: given, glob, ignoreCase, limit }, { sessionId, signal }, ports) {
    const { root, path, place } = opened(given, ports, sessionId)
    const isClosed = (at: string) => ports.closed({ ...place, path: at }) !== undefined
    const looked = lookAt(root, path)
    const shown = shownPath({ root: root.name, path })
    if (looked.kind === 'none') return { text: `There is no ${shown}.`, summary: `no ${shown}`, isError: true }
    const tree: Tree =
      looked.kind === 'file'
        ? { files: [{ path, size: looked.size, changedAt: 0 }], isCut: false }
        : await filesBelow(root, path, { isClosed, signal })
    const wanted = glob === undefined ? undefined : globPattern(glob)
    const inFolder = (at: string) => (path === '' || looked.kind === 'file' ? at : at.slice(path.length + 1))
    const files = tree.files.filter((file) => wanted?.test(inFolder(file.path)) ?? true)
    const { hits, isCut, searched } = await grep(root, files, { pattern, ignoreCase, most: limit, signal })
    const all = hits.map((hit) => ({ ...hit, path: shownPath({ root: root.name, path: hit.path }) }))
    const notes = [
      ...(isCut ? [`Only the first ${limit} are shown.`] : []),
      ...(tree.isCut ? ['Not all files were looked at: name a smaller folder.'] : []),
    ]
    return {
      text: [
        `${all.length} lines in ${new Set(all.map((hit) => hit.path)).size} of ${searched} files. ${notes.join(' ')}`.trim(),
        ...all.map((hit) => `${hit.path}:${hit.line}: ${hit.text}`),
      ].join('\n'),
      summary: `${all.length} lines`,
      data: { hits: all, searched, isCut: isCut || tree.isCut },
    }
  },
})
