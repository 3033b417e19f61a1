import { spawn } from 'node:child_process'
import type { Clock } from '../../lib/clock.ts'
import { hasRoomFor } from '../../lib/disk-room.ts'
import { type MostOfTree, mostOfTree } from '../files/held-tree.ts'

/** Calls `end` when a command must be ended. @returns a function that stops the watch */
export type Watch = (end: (why: 'disk' | 'layer') => void) => () => void

const diskMs = 50
const treeMs = 1_000
const mostBytes = 1024 ** 3

/**
 * Watches the amount that a command writes into its own folder. The disk must keep its reserve, and the number of files, bytes and nested folders is
 * limited. The free space is checked often, because a disk fills fast. The folder is measured by a separate program, because it may hold anything.
 */
export const watchLayer =
  (dir: string, clock: Clock, most: MostOfTree = mostOfTree): Watch =>
  (end) => {
    const stopping = new AbortController()
    const cancels = { disk: () => {}, tree: () => {} }
    const looks = {
      disk() {
        if (!hasRoomFor(dir, 'toGoOn')) end('disk')
        cancels.disk = clock.after(diskMs, looks.disk)
      },
      async tree() {
        if (await isTooLarge(dir, most, stopping.signal)) end('layer')
        if (!stopping.signal.aborted) cancels.tree = clock.after(treeMs, () => void looks.tree())
      },
    }
    cancels.disk = clock.after(diskMs, looks.disk)
    cancels.tree = clock.after(treeMs, () => void looks.tree())
    return () => {
      stopping.abort()
      cancels.disk()
      cancels.tree()
    }
  }

/**
 * Returns true if a folder holds more than a command may leave. A folder that cannot be read counts as one file; its size is bounded by the disk's
 * free space.
 */
function isTooLarge(dir: string, most: MostOfTree, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('/usr/bin/find', [dir, '-xdev', '-printf', '%d %b\\n'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {},
      cwd: '/',
      signal,
      killSignal: 'SIGKILL',
    })
    let [rest, entries, blocks, isOver] = ['', 0, 0, false]
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [depth = 0, used = 0] = line.split(' ').map(Number)
        entries += 1
        blocks += used
        // The folders of the layers themselves add up to two levels to the depth.
        isOver ||= depth > most.depth + 2 || entries > most.entries || blocks * 512 > mostBytes
      }
      if (isOver) child.kill('SIGKILL')
    })
    child.on('error', () => resolve(false))
    child.on('close', () => resolve(isOver))
  })
}
