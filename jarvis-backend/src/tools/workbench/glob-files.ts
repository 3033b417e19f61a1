import { z } from 'zod'
import { pathEffect } from '../../gate/index.ts'
import { ageOf } from '../../homelab/format.ts'
import { shownPath } from '../../workbench/files/entry.ts'
import { globPattern } from '../../workbench/files/glob.ts'
import { filesBelow } from '../../workbench/files/tree.ts'
import { fileTool, opened, Path, readsPath, sizeWords } from './file-tool.ts'

const most = 200

export const globFiles = fileTool({
  ...readsPath,
  name: 'glob_files',
  title: 'Find files of the host by name',
  description:
    'Lists files below a folder of the workbench whose path fits a pattern such as **/*.yml, newest first, with size and age. Follows no links, and leaves out .git and what may hold secrets.',
  timeoutMs: 30_000,
  input: z.strictObject({
    path: Path.describe('A root or a folder in it, such as compose.'),
    pattern: z.string().min(1).max(300).describe('Relative to the folder: * within a name, ** over folders, {a,b}.'),
  }),
  effects: ({ path }, world) => [pathEffect({ kind: 'read', path }, world)],
  async run({ path: given, pattern }, { sessionId, signal }, ports) {
    const { root, path, place } = opened(given, ports, sessionId)
    const isClosed = (at: string) => ports.closed({ ...place, path: at }) !== undefined
    const { files, isCut } = await filesBelow(root, path, { isClosed, signal })
    const wanted = globPattern(pattern)
    const inFolder = (at: string) => (path === '' ? at : at.slice(path.length + 1))
    const found = files
      .filter((file) => wanted.test(inFolder(file.path)))
      .sort((one, other) => other.changedAt - one.changedAt)
    const now = Date.now()
    const shown = found
      .slice(0, most)
      .map((file) => ({ ...file, path: shownPath({ root: root.name, path: file.path }) }))
    return {
      text: [
        `${found.length} files of ${files.length}${isCut ? ', and not all were looked at: name a smaller folder' : ''}.`,
        ...shown.map((file) => `${file.path}, ${sizeWords(file.size)}, ${ageOf(file.changedAt, now)}`),
        ...(found.length > most ? [`${found.length - most} more.`] : []),
      ].join('\n'),
      summary: `${found.length} files`,
      data: { files: shown, total: found.length, isCut },
    }
  },
})
