import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { Mistake } from '../../gate/index.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
const mostBytes = 20 * 1024 ** 2

/**
 * Reads a file of a folder, part by part from the open folder, so that no link leads out. @param path relative to the folder
 * @throws Mistake where there is none, a part is a link, or it is larger than 20 MB
 */
export function fileIn(folder: string, path: string): { name: string; bytes: Buffer; hash: string } {
  const parts = path.split('/')
  const name = parts.pop() ?? ''
  if ([...parts, name].some((part) => part === '' || part === '.' || part === '..' || part.includes('\0')))
    throw new Mistake(`paths: ${path} is no path in the session’s folder.`)
  let at = openSync(folder, O_RDONLY | O_DIRECTORY)
  try {
    for (const part of parts)
      at = next(at, openSync(`/proc/self/fd/${at}/${part}`, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
    at = next(at, openSync(`/proc/self/fd/${at}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
    const stat = fstatSync(at)
    if (!stat.isFile()) throw new Mistake(`paths: session/${path} is no file.`)
    if (stat.size > mostBytes) throw new Mistake(`paths: session/${path} is larger than 20 MB.`)
    const bytes = readFileSync(at)
    return { name, bytes, hash: createHash('sha256').update(bytes).digest('hex') }
  } catch (error) {
    if (error instanceof Mistake) throw error
    throw new Mistake(`paths: session/${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  } finally {
    closeSync(at)
  }
}

function next(before: number, opened: number): number {
  closeSync(before)
  return opened
}
