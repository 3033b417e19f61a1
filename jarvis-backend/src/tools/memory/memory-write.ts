import { promptFiles } from 'protocol'
import { named } from 'redaction/visible'
import { z } from 'zod'
import { noTarget } from '../../gate/effect.ts'
import { dailyAddition, dailyPath, ownTextOf } from '../../memory/daily.ts'
import { peoplesFile, withoutHeadings } from '../../memory/program-notes.ts'
import { MemoryWrittenOutput } from '../outputs.ts'
import { memoryTool } from './memory-tool.ts'

export const memoryWrite = memoryTool({
  name: 'memory_write',
  remembers: true,
  title: 'Write into the memory',
  description:
    "Adds text to the memory. Without `path` it goes to today's notes; use path MEMORY.md only for what will still be true in a year. With `replaces` it replaces exactly that text, which must stand there once. Write down what the operator wants remembered, and decisions with their reasons; never secrets.",
  tier: 'yellow',
  isComposed: true,
  touches: [{ kind: 'data', on: 'file' }],
  effects: ({ path, replaces }) => [
    {
      kind: 'data',
      on: 'file',
      target: noTarget,
      file: path,
      ...(replaces !== undefined && { isRewrite: true }),
      sentence: sentenceOf(path, replaces),
    },
  ],
  undo: () => ({
    kind: 'none',
    because: 'A person takes it back on the memory’s page, where it is kept for that.',
    losesNothing: true,
  }),
  timeoutMs: 10_000,
  input: z.strictObject({
    text: z.string().trim().min(1).max(8_000).describe('Markdown, as it should stand there.'),
    path: z.string().min(1).max(300).optional().describe("A file of the memory. Absent: today's notes."),
    replaces: z.string().min(1).max(8_000).optional().describe('The text to replace, exactly as it stands.'),
  }),
  example: { text: 'The NAS is in the cellar.' },
  output: MemoryWrittenOutput,
  async run(
    { text: asked, path: given, replaces },
    { isForeign, asker, approvedBy, repeatsOthers, sessionId },
    { of, now, redact },
  ) {
    const { workspace, keep } = of(asker)
    const path = given ?? dailyPath(now())
    const peoples = peoplesFile(path)
    if (peoples !== undefined) return refused(`path: a person writes ${peoples}. Nothing was written.`)
    const text = redact(asked)
    // Every prompt holds these files, so a person approves each word of them.
    const isInPrompt = promptFiles.includes(path)
    const isClients = isForeign === true && !isInPrompt
    if (isClients && replaces !== undefined) {
      return refused('replaces: an MCP client adds to the memory and changes nothing in it. Nothing was written.')
    }
    const known = workspace.list().some((file) => file.path === path) ? workspace.read(path) : undefined
    if (known?.problem !== undefined) return refused(`${path} is not written to. ${known.problem}`)
    // A person who approved the note has read it. A call that replaces a part of the file asked a person before.
    const isOthers = isClients || (!isInPrompt && approvedBy === undefined && repeatsOthers?.() === true)
    if (isOthers && replaces === undefined) {
      // The conversation's id lets a reader find out which words of the note are the operator's.
      const place = isClients || sessionId === undefined ? '' : `\n(Noted in ${sessionId}, after texts of others.)`
      workspace.append(path, dailyAddition(known?.text ?? '', `${withoutHeadings(text)}${place}`, 'others'))
    } else if (replaces === undefined) workspace.append(path, dailyAddition(known?.text ?? '', text, 'notes'))
    else {
      const times = (known?.text.split(replaces).length ?? 1) - 1
      if (known === undefined || times !== 1) {
        return refused(
          `replaces: that text stands ${times === 0 ? 'nowhere' : `${times} times`} in ${path}. Nothing was written.`,
        )
      }
      const changed = known.text.replace(replaces, () => text)
      // The replacement must not change JARVIS's own part. Under another heading that part would count as the operator's words.
      if (ownTextOf(changed) !== ownTextOf(known.text)) {
        return refused('replaces: what JARVIS did stays as it was written down. Nothing was written.')
      }
      workspace.write(path, changed, known.checksum)
    }
    const undoId = keep({ path, before: known?.text, checksum: workspace.read(path).checksum })
    const did = replaces === undefined ? `Added to ${path}` : `Changed in ${path}`
    return { text: `${did}.`, summary: `${did}: ${text.split('\n')[0]?.slice(0, 120) ?? ''}`, data: { path, undoId } }
  },
})

function sentenceOf(path: string | undefined, replaces: string | undefined): string {
  const file = path === undefined ? 'the notes of today' : named(path)
  return replaces === undefined ? `A text is added to ${file}.` : `A part of ${file} becomes another text.`
}

const refused = (text: string) => ({ text, summary: text, isError: true })
