import { z } from 'zod'
import { FileDiff } from './workbench.ts'

/**
 * The form in which a screen shows a call, as its tool declares it. The call's `data` then holds the content. If a screen does not know the form, or
 * `data` is missing, it shows the call like any other.
 */
export const View = z.enum(['command', 'page', 'hits', 'picture', 'files'])
export type View = z.infer<typeof View>

/** `command`: a command in the sandbox. Its output is in the result's text, after the line `output:`. */
export const CommandData = z.object({
  command: z.string().describe('Its id.'),
  status: z.enum(['running', 'ended']),
  text: z.string().describe('What is run, redacted.'),
  folder: z.string().describe('ROOT/PATH.'),
  level: z.string().describe('How it is confined: full, landlock.'),
  isBackground: z.boolean(),
  egress: z.array(z.string()).describe('Places that it may reach.'),
  startedAt: z.int().describe('Unix ms.'),
  endedAt: z.int().optional(),
  words: z.string().optional().describe('How it ended.'),
  exitCode: z.int().optional(),
  changes: z.int().optional().describe('How many files it changed or would change.'),
  files: z.string().optional().describe('The same in words.'),
  isApplied: z.boolean().optional(),
  mayApply: z.boolean().optional().describe('Whether apply_changes can ask for what it would change.'),
  asked: z.array(z.string()).optional().describe('Places that it asked for in vain.'),
})
export type CommandData = z.infer<typeof CommandData>

/** `page`: a web page as text. Sizes in bytes. `text`: a part of the page; `from` and `next` are positions in characters. */
export const PageData = z.object({
  url: z.string(),
  asked: z.string(),
  status: z.int(),
  type: z.string(),
  title: z.string(),
  text: z.string(),
  from: z.int(),
  next: z.int().nullable().describe('The offset that goes on; null at the end.'),
  chars: z.int().describe('Of the whole text.'),
  wireBytes: z.int(),
  isKept: z.boolean().describe('true: read up to 15 minutes ago.'),
  hidden: z.object({ count: z.int(), reasons: z.array(z.string()) }),
})
export type PageData = z.infer<typeof PageData>

/** `hits`: the results of a web search. */
export const HitsData = z.object({
  query: z.string(),
  hits: z.array(z.object({ title: z.string(), url: z.string(), snippet: z.string() })),
  silent: z.array(z.string()).describe('Engines that did not answer, whose results are missing.'),
})
export type HitsData = z.infer<typeof HitsData>

/** `picture`: the picture of a page, which is the result's only image. Positions and sizes in pixels, from the upper left corner. */
export const PictureData = z.object({
  url: z.string(),
  title: z.string(),
  tab: z.int(),
  width: z.int(),
  height: z.int(),
  elements: z.array(
    z.object({ ref: z.string(), role: z.string(), name: z.string(), x: z.int(), y: z.int(), leadsTo: z.boolean() }),
  ),
})
export type PictureData = z.infer<typeof PictureData>

/** `files`: the files that the call changed. `left`: number of lines that are not included here. */
export const FilesData = z.object({ diff: z.array(FileDiff) })
export type FilesData = z.infer<typeof FilesData>
