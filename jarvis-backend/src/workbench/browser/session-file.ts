import { JarvisError } from 'protocol'
import { Mistake } from '../../gate/index.ts'
import { mostBytes } from '../files/content-store.ts'
import { lookAt } from '../files/look.ts'
import type { RootAt } from '../files/walk.ts'

/**
 * Reads a file of the session's folder without following links. @param path relative to the folder
 * @throws Mistake if the file does not exist, a part of the path is a link, or the file is larger than 20 MB
 */
export function fileIn(root: RootAt, path: string): { name: string; bytes: Buffer; hash: string } {
  const looked = lookedAt(root, path)
  if (looked.kind !== 'file') throw new Mistake(`paths: there is no file session/${path}.`)
  if (looked.bytes === undefined)
    throw new Mistake(`paths: session/${path} is larger than ${mostBytes / 1024 ** 2} MB.`)
  return { name: path.split('/').at(-1) ?? '', bytes: looked.bytes, hash: looked.entry.hash }
}

function lookedAt(root: RootAt, path: string) {
  try {
    return lookAt(root, path)
  } catch (error) {
    if (error instanceof JarvisError) throw new Mistake(`paths: ${error.message}`)
    throw error
  }
}
