import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const brotli = promisify(brotliCompress)
const gz = promisify(gzip)

/** File types that are not compressed already. */
const isText = /\.(?:css|html|js|json|svg|webmanifest)$/
/** A smaller file fits one packet either way, bytes. */
const leastBytes = 1_000

/** Writes `FILE.br` and `FILE.gz` beside each text file of the built dashboard, for the server to choose from. */
export function precompress(): Plugin {
  let outDir = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir)
    },
    closeBundle: () => compressIn(outDir),
  }
}

/** @param dir an absolute path */
export async function compressIn(dir: string): Promise<void> {
  const names = await readdir(dir, { recursive: true })
  await Promise.all(names.filter((name) => isText.test(name)).map((name) => compress(join(dir, name))))
}

async function compress(path: string): Promise<void> {
  const plain = await readFile(path)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length }
  await keepSmaller(plain, `${path}.br`, () => brotli(plain, { params }))
  await keepSmaller(plain, `${path}.gz`, () => gz(plain, { level: 9 }))
}

async function keepSmaller(plain: Buffer, path: string, compressed: () => Promise<Buffer>): Promise<void> {
  const bytes = plain.length < leastBytes ? plain : await compressed()
  // A build that does not empty its folder must not leave an older file's bytes behind.
  if (bytes.length < plain.length) await writeFile(path, bytes)
  else await rm(path, { force: true })
}
