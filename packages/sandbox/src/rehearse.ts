import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Clock } from 'node-kit/clock'
import { inTurns } from 'node-kit/steps'
import { type Bind, type Cell, inside } from './argv.ts'
import type { Below } from './below.ts'
import { changesInCopy, changesInUpper, type Effect, type Over } from './changes.ts'
import { heldTree, type MostOfTree, mostOfTree, Unreadable } from './held-tree.ts'
import { startUnderLandlock } from './landlock.ts'
import { watchLayer } from './layer-watch.ts'
import type { Output } from './output.ts'
import { copied, type Layers, madeLayers, overMounted, overMountedToRead } from './overlay.ts'
import { type Pinned, pin } from './pinned.ts'
import { relayBind, relayEnv, relayed } from './relay.ts'
import { type RunEnd, type Running, runInCell } from './run.ts'
import type { Survey } from './survey.ts'

/** A command that runs on a throw-away view of a folder. `way`: the kind of view. */
export type Rehearsing = Omit<Running, 'ended'> & { ended: Promise<Rehearsed> }
export type Rehearsed =
  | (Extract<RunEnd, { kind: 'ended' }> & { effect: Effect; way: Way; output: Output })
  | { kind: 'not_started'; said: string }
/** `overlay`: the command ran on an overlay, in which the kernel keeps written files apart. `copy`: the command ran on a copy. */
export type Way = 'overlay' | 'copy'

/** The way in which a command is confined: by bubblewrap with own namespaces, or by Landlock. `abi`: the version of Landlock. */
export type Confined = { level: 'full' } | { level: 'landlock'; abi: number }

export type Rehearsal = {
  /** The folder on the host, with links resolved. */
  folder: string
  command: string
  below: Below
  survey: Survey
  timeoutMs: number
  /** The proxy's socket. The proxy records each place that the command asks for, and lets only listed places through. */
  egress?: string
  hasStdin?: true
  /** Files that the command finds with the bytes that a person saw. */
  pinned?: readonly Pinned[] | undefined
  /** The time when `pinned` was read, Unix ms. Nothing is applied if something else changed one of the files since then. Default: now. */
  startedAt?: number | undefined
  confined: Confined
}

/**
 * The dependencies of rehearsals. `dir`: a folder that only rehearsals use, on one file system with enough space. `most`: limits of what a command
 * leaves; default: `mostOfTree`.
 */
export type RehearseParts = {
  clock: Clock
  dir: string
  keep(bytes: Buffer): void
  discard(path: string): void
  /** Returns false if the file system of a folder has too little room for a command to go on. The command is then ended. */
  hasRoom(dir: string): boolean
  bwrap?: string
  most?: MostOfTree
}

/**
 * Runs a command once on a temporary view of a folder, and derives from the view the changes that the command would make. The view is then deleted.
 * If the kernel refuses the overlay, the command has not yet run, and it runs on a copy of the folder instead.
 */
export async function rehearse(id: string, asked: Rehearsal, parts: RehearseParts): Promise<Rehearsing> {
  const mayCopy = asked.survey.bytes <= copyBytes
  if (asked.confined.level === 'landlock' && !mayCopy) throw new TooLarge()
  const layers = madeLayers(join(parts.dir, id), asked.folder)
  try {
    return await rehearsedIn(layers, { ...asked, mayCopy }, parts)
  } catch (error) {
    parts.discard(layers.dir)
    throw error
  }
}

async function rehearsedIn(
  layers: Layers,
  {
    folder,
    command,
    below,
    timeoutMs,
    survey,
    egress,
    hasStdin,
    confined,
    pinned = [],
    startedAt = Date.now(),
    mayCopy,
  }: Rehearsal & { mayCopy: boolean },
  { clock, keep, discard, hasRoom, bwrap, most = mostOfTree }: RehearseParts,
): Promise<Rehearsing> {
  const secrets = new Set(survey.secrets.map(({ path }) => path))
  const start = async (way: Way) => {
    if (way === 'copy') await copied(layers, survey.secrets)
    pin(way === 'copy' ? layers.merged : layers.upper, folder, pinned)
    const before = way === 'overlay' ? overMounted(layers) : []
    return runInCell(cellOver(layers, survey, egress), command, {
      clock,
      timeoutMs,
      starter: { before, ...(hasStdin && { hasStdin }), bwrap },
      watch: watchLayer(layers.dir, clock, { hasRoom, most }),
      ...(egress !== undefined && { around: relayed }),
      ...(confined.level === 'landlock' && {
        start: (program) => startUnderLandlock(layers, program, { abi: confined.abi, hasStdin }),
      }),
    })
  }
  // An overlay cannot copy a file of another group into its upper layer, so such a folder is copied.
  let way: Way = confined.level === 'landlock' || (survey.hasForeign && mayCopy) ? 'copy' : 'overlay'
  let running = await start(way)
  if (way === 'overlay' && mayCopy && !(await running.began)) {
    way = 'copy'
    running = await start(way)
  }
  const ended = running.ended
    .then(async (end): Promise<Rehearsed> => {
      if (end.kind === 'not_started') return end
      const effect = end.isAlone
        ? await effectOf(layers, way, { below, keep, startedAt, secrets, most }).catch(unread)
        : { changes: [], refused: [notAlone] }
      return { ...end, effect, way, output: running.output }
    })
    .finally(() => discard(layers.dir))
  return { ...running, ended }
}

const notAlone = 'Not all that it started could be ended, so what it wrote was not read.'
const unread = (error: Error): Effect => ({
  changes: [],
  refused: [`What it wrote could not be read (${error.message}).`],
})
const copyBytes = 200 * 1024 ** 2

/** The folder holds more bytes than may be copied. */
export class TooLarge extends Error {}

/** The sandbox's view: the folder is writable, each `.git` in it is read-only, and secrets appear empty. */
function cellOver({ merged }: Layers, { repositories, secrets }: Survey, egress: string | undefined): Cell {
  const binds: Bind[] = [
    { from: merged, to: inside.work, isWritable: true },
    ...repositories.map((path) => ({ from: join(merged, path), to: join(inside.work, path) })),
    ...secrets
      .filter(({ isFolder }) => !isFolder)
      .map(({ path }) => ({ from: '/dev/null', to: join(inside.work, path) })),
  ]
  const hidden = secrets.filter(({ isFolder }) => isFolder).map(({ path }) => join(inside.work, path))
  if (egress === undefined) return { binds, hidden }
  return { binds: [...binds, relayBind], hidden, egress, env: relayEnv }
}

async function effectOf(layers: Layers, way: Way, { most, ...over }: Over & { most: MostOfTree }): Promise<Effect> {
  if (way === 'copy') return inTurns(changesInCopy(layers.merged, over))
  try {
    // The layer is read here first, so that a tree beyond the limits is refused before `find` lists it.
    await inTurns(heldTree(layers.upper, () => undefined, { most }))
  } catch (error) {
    if (error instanceof Unreadable) return { changes: [], refused: [error.message] }
    throw error
  }
  const visible = await namesLeft(layers)
  return inTurns(changesInUpper(layers.upper, over, (path) => visible.get(path) ?? []))
}

/** The names that each folder of the merged view holds. */
async function namesLeft(layers: Layers): Promise<ReadonlyMap<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const path of await listed(layers)) {
    const at = path.lastIndexOf('/')
    const folder = at === -1 ? '' : path.slice(0, at)
    const names = found.get(folder)
    if (names === undefined) found.set(folder, [path.slice(at + 1)])
    else names.push(path.slice(at + 1))
  }
  return found
}

function listed(layers: Layers): Promise<string[]> {
  const [file = '', ...args] = [
    ...overMountedToRead(layers),
    '/usr/bin/find',
    '.',
    '-mindepth',
    '1',
    '-printf',
    '%P\\0',
  ]
  return new Promise((resolve, reject) => {
    execFile(file, args, { cwd: '/', env: {}, maxBuffer: 64 * 1024 ** 2 }, (error, stdout) => {
      if (error) reject(new Error('The view of the folder could not be read again.', { cause: error }))
      else resolve(stdout.split('\0').filter((path) => path !== ''))
    })
  })
}
