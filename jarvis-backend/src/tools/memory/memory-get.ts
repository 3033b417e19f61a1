import { z } from 'zod'
import { lessonAbove } from '../../memory/daily.ts'
import { isSkillPath } from '../../memory/file-keeper.ts'
import { MemoryFileOutput } from '../outputs.ts'
import { memoryTool, recalling } from './memory-tool.ts'

const mostLines = 400
const noSkill = 'path: skills are no part of the memory; use_skill loads those that are enabled.'

export const memoryGet = memoryTool({
  name: 'memory_get',
  title: 'Read a memory file',
  description:
    'Reads lines of one file of the memory, such as MEMORY.md (what is known for good) or memory/2026-01-31.md (one day). Without `path` it lists the files.',
  ...recalling,
  timeoutMs: 10_000,
  input: z.strictObject({
    path: z.string().min(1).max(300).optional().describe('A file as memory_search or the list names it.'),
    firstLine: z.int().min(1).default(1),
    lines: z.int().min(1).max(mostLines).default(100),
  }),
  example: { path: 'MEMORY.md' },
  output: MemoryFileOutput,
  async run({ path, firstLine, lines }, { asker }, { of }) {
    const { workspace } = of(asker)
    if (path === undefined) {
      const files = workspace.list().filter((file) => !isSkillPath(file.path))
      return {
        text:
          files.length === 0
            ? 'There are no files.'
            : files.map(({ path, bytes }) => `${path}, ${bytes} bytes`).join('\n'),
        summary: `${files.length} files`,
        data: { files },
      }
    }
    if (isSkillPath(path)) return { text: noSkill, summary: noSkill, isError: true }
    const { text, problem, changedAt } = workspace.read(path)
    const all = text.split('\n')
    const shown = all.slice(firstLine - 1, firstLine - 1 + lines)
    const lesson = lessonAbove(all, firstLine)
    const rest = all.length - (firstLine - 1) - shown.length
    return {
      text: [
        ...(problem === undefined ? [] : [problem]),
        ...(lesson === undefined ? [] : [`${lesson.number} ${lesson.text}`]),
        ...shown.map((line, at) => `${firstLine + at} ${line}`),
        ...(rest > 0 ? [`${rest} more lines: read on with firstLine ${firstLine + shown.length}.`] : []),
      ].join('\n'),
      summary: `${path}, ${shown.length} of ${all.length} lines`,
      data: { path, firstLine, lines: shown, totalLines: all.length, changedAt },
    }
  },
})
