import { leadsOut } from 'node-kit/leads-out'
import type { FileDiff } from 'protocol'
import { JarvisError } from 'protocol'
import { quoted } from 'redaction/visible'
import { z } from 'zod'
import type { Place, Root, World } from '../../gate/index.ts'
import { pathEffect, placeOf } from '../../gate/index.ts'
import type { Applier } from '../../workbench/files/applier.ts'
import type { ContentStore } from '../../workbench/files/content-store.ts'
import { diffOf } from '../../workbench/files/diff.ts'
import { type FileChange, reversed, shownPath } from '../../workbench/files/entry.ts'
import { markOf } from '../../workbench/files/marks.ts'
import { rootName, sessionRootName } from '../../workbench/files/root-of.ts'
import type { RootAt } from '../../workbench/files/walk.ts'
import { type Preview, type ToolContext, type ToolOutput, toolOver, type Undo } from '../tool.ts'

/** The parts that the tools over files act through. */
export type FilePorts = {
  roots(): readonly Root[]
  /** @throws JarvisError `not_found` */
  rootOf(name: string): RootAt
  /** The reason why a place may be neither read nor changed; undefined if it may. */
  closed(place: Place): string | undefined
  /** Tells if a person may write in a conversation other than the call's; false if there is no such conversation. @param person absent: the first owner */
  mayWriteIn(sessionId: string, person: string | undefined): boolean
  store: ContentStore
  applier: Applier
}

export const fileTool = toolOver<FilePorts>()

export const Path = z
  .string()
  .min(1)
  .max(1_000)
  .describe(
    'ROOT/PATH, such as compose/jellyfin.yml; session/… is this conversation’s own folder. read_file without path lists the roots.',
  )

/** A read of a file or folder of the host. */
export const readsPath = { tier: 'green', touches: [{ kind: 'read', on: 'path' }] } as const

/** Members of a tool that changes files. Its card shows every byte, and an interrupted change is finished after a crash. */
export const changesPath = {
  tier: 'yellow',
  touches: [{ kind: 'data', on: 'path' }],
  timeoutMs: 60_000,
  ending: () => ({ applies: true as const }),
  raises: [],
  view: 'files',
} as const

export const changeEffect = (path: string, world: World, more: { sentence: string; deed: string }) =>
  pathEffect({ kind: 'data', path, ...more, isShownWhole: true, scope: 'files' }, world)

/** Returns the open root of a path that a call names, and the path within the root. @throws JarvisError */
export function opened(given: string, { roots, rootOf }: FilePorts, sessionId: string | undefined) {
  const place = placeOf(given, roots())
  const name = rootName(place, sessionId)
  return { place, name, root: rootOf(name), path: place.path }
}

/** The preview of a change of files, for its card. */
export function previewOf(
  changes: readonly FileChange[],
  { store }: FilePorts,
  sessionId: string | undefined,
): Preview {
  const diff = diffOf(changes, store.read)
  const files = changes.filter(({ old, new: made }) => old.kind === 'file' || made.kind === 'file')
  return {
    now: nowWords(changes),
    then: linesWords(diff),
    undo: undoOf(changes, store, sessionId),
    basis: basisOf(files),
    diff,
  }
}

/** The basis of an approval: each path with digests of the bytes before and after. */
export const basisOf = (changes: readonly FileChange[]): Record<string, string> =>
  Object.fromEntries(changes.map((change) => [shownPath(change), `${markOf(change.old)} → ${markOf(change.new)}`]))

/** Maximum number of lines of a diff that are kept with the conversation. */
const mostKept = 60

/** The beginning of a diff, with the number of the lines left out. */
export function keptOf(diff: readonly FileDiff[]): FileDiff[] {
  let free = mostKept
  return diff.map((file) => {
    const lines = file.lines.slice(0, free)
    free -= lines.length
    return { ...file, lines, left: file.left + file.lines.length - lines.length }
  })
}

/** Makes the changes of a call, if they are still the changes by which the call was judged. @throws JarvisError `conflict` if they are not */
export async function madeFor(
  changes: readonly FileChange[],
  ports: FilePorts,
  context: ToolContext,
): Promise<ToolOutput> {
  const { preview, toolUseId = '', signal } = context
  const basis = basisOf(changes.filter(({ old, new: made }) => old.kind === 'file' || made.kind === 'file'))
  const shown = preview?.basis ?? basis
  if (Object.entries(basis).some(([path, marks]) => shown[path] !== marks))
    throw new JarvisError(
      'conflict',
      'The file was changed meanwhile by something else. Nothing was changed: read it again.',
    )
  await ports.applier.apply(toolUseId, changes, signal)
  const diff = diffOf(changes, ports.store.read)
  const files = diff.filter(({ new: hash, old }) => hash !== undefined || old !== undefined)
  const lines = files.map(
    ({ path, change, added, removed, new: hash }) =>
      `${path}: ${change}, ${added} ${added === 1 ? 'line' : 'lines'} came, ${removed} went${hash === undefined ? '' : `, hash ${hash.slice(0, 16)}`}.`,
  )
  return {
    text: lines.join('\n'),
    summary: `${files.length === 1 ? files[0]?.path : `${files.length} files`}: ${linesWords(diff)}`,
    data: { files: files.map(({ lines: _, ...file }) => file), diff: keptOf(diff) },
    files: filesWritten(changes, context.sessionId),
  }
}

/** The files that changes write in the folder of the call's own session, as paths in it. */
const filesWritten = (changes: readonly FileChange[], sessionId: string | undefined): string[] =>
  changes.flatMap(({ root, path, new: made }) =>
    made.kind === 'file' && sessionId !== undefined && root === sessionRootName(sessionId) ? path : [],
  )

const mostUndone = 100

/** The call that takes changes of files back. */
export function undoOf(
  changes: readonly FileChange[],
  store: Pick<ContentStore, 'read'>,
  sessionId: string | undefined,
): Undo {
  const isLost = changes.some(({ old }) => old.kind === 'file' && store.read(old.hash) === undefined)
  if (isLost) return { kind: 'none', because: 'A file of it is over 20 MB, and what it held is not kept.' }
  const isOut = changes.some(({ path, old }) => old.kind === 'link' && leadsOut(path, old.to))
  if (isOut) return { kind: 'none', because: 'A link of it led out of its root, and JARVIS makes no such link.' }
  if (changes.length > mostUndone) return { kind: 'none', because: `It changes more than ${mostUndone} files.` }
  const files = reversed(changes).map(({ root, path, old, new: made }) => ({
    path: shownPath({ root, path }),
    now: markOf(old),
    then: markOf(made),
  }))
  const isOfSession = changes.some(({ root }) => root.startsWith('session:'))
  return {
    kind: 'call',
    toolName: 'restore_files',
    input: { files, ...(isOfSession && sessionId !== undefined && { session: sessionId }) },
    sentence: undoSentence(changes),
  }
}

function undoSentence([first, ...others]: readonly FileChange[]): string {
  if (first === undefined || others.length > 0)
    return `${others.length + 1} files hold again what they held before, if nothing else has changed them.`
  const path = quoted(shownPath(first))
  return first.old.kind === 'none'
    ? `${path} is deleted again, if nothing else has changed it.`
    : `${path} holds again what it held before, if nothing else has changed it.`
}

function nowWords(changes: readonly FileChange[]): string {
  const made = changes.filter(({ old, new: next }) => old.kind === 'none' && next.kind !== 'folder').length
  const others = changes.filter(({ old }) => old.kind === 'file').length
  const count = (n: number, words: string) => (n === 0 ? [] : [`${n} ${n === 1 ? 'file' : 'files'} ${words}`])
  return [...count(others, 'as the diff shows'), ...count(made, 'not there')].join(', ') || 'nothing of it is there'
}

/** The number of added and removed lines in words: `3 lines come, 1 goes`. */
export function linesWords(diff: readonly FileDiff[]): string {
  const sum = (of: (file: FileDiff) => number) => diff.reduce((all, file) => all + of(file), 0)
  const [came, went] = [sum(({ added }) => added), sum(({ removed }) => removed)]
  const words = (n: number, one: string, many: string) => `${n} ${n === 1 ? `line ${one}` : `lines ${many}`}`
  return `${words(came, 'comes', 'come')}, ${went === 1 ? '1 goes' : `${went} go`}`
}

/** A file's size: `3 B`, `1.2 kB`, `4.5 MB`. */
export const sizeWords = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1_000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`
