import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, newest } from '../../../scripts/build.js'

const backend = fileURLToPath(new URL('../../', import.meta.url))
const at = (path: string) => join(backend, path)
const programs = {
  server: at('test/crash/server.ts'),
  'fake-cluster': at('test/crash/fake-cluster.ts'),
  'file-changer': at('test/crash/file-changer.ts'),
  dying: at('test/drill/dying.ts'),
  life: at('test/crash/life.ts'),
  'workbench-server': at('test/crash/workbench-server.ts'),
}
const kept = at('.killed')

/**
 * Bundles the programs that tests kill, so that a life begins at once. All tests share the bundle until a source is newer, because
 * bundling takes three seconds of CPU time.
 * @returns the path of one of them
 */
export async function killedProgram(name: keyof typeof programs): Promise<string> {
  const version = `of-${Math.ceil(newest([at('src'), at('test'), join(backend, '../packages')]))}`
  const dir = join(kept, version)
  if (!existsSync(dir)) {
    const unfinished = mkdtempSync(at('.killed-'))
    try {
      await bundle(programs, unfinished)
      for (const old of existsSync(kept) ? readdirSync(kept) : []) {
        if (old !== version) rmSync(join(kept, old), { recursive: true, force: true })
      }
      mkdirSync(kept, { recursive: true })
      try {
        renameSync(unfinished, dir)
      } catch (error) {
        // Another file of tests has put the same bundle there meanwhile.
        if (!existsSync(dir)) throw error
      }
    } finally {
      rmSync(unfinished, { recursive: true, force: true })
    }
  }
  return join(dir, `${name}.js`)
}
