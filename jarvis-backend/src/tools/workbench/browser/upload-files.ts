import { named as plainName } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../../gate/effect.ts'
import { pathEffect } from '../../../gate/index.ts'
import {
  actOn,
  browserTool,
  hostOf,
  named,
  onPage,
  pageOutput,
  prepareElement,
  Ref,
  seenOf,
  sessionOf,
} from './browser-tool.ts'

export const uploadFiles = browserTool({
  name: 'upload_files',
  title: 'Give files to a page',
  description:
    'Puts files of the session’s folder (session/…) into a file field of the open page. The page may send them at once.',
  tier: 'red',
  timeoutMs: 90_000,
  input: z.strictObject({ ref: Ref, paths: z.array(z.string().min(1).max(500)).min(1).max(5) }),
  output: pageOutput,
  touches: [
    { kind: 'remote', on: 'web' },
    { kind: 'read', on: 'path' },
  ],
  effects: ({ ref, paths }, world, ports) => {
    const seen = seenOf(ref, world, ports)
    if (!paths.every((path) => path.startsWith('session/')))
      throw new Mistake('paths: only files of the session’s folder are given to a page: session/NAME.')
    const sentence = `${paths.map(plainName).join(', ')} goes to the ${named(seen)} on ${hostOf(seen.pageUrl)}.`
    const atLeast = { tier: 'red', because: 'The files leave this machine.', isAlways: true } as const
    return [
      onPage(
        { kind: 'remote', url: seen.pageUrl, more: { sentence, deed: 'give these files to the page', atLeast } },
        ports,
      ),
      ...paths.map((path) => pathEffect({ kind: 'read', path }, world)),
    ]
  },
  async prepare({ ref, paths }, context, ports) {
    const preview = await prepareElement({ ref }, context, ports)
    const files = paths.map((path) => ports.upload(sessionOf(context), path))
    const then = `the page gets ${files.map(({ name, bytes }) => `${plainName(name)} (${bytes.length} bytes)`).join(', ')}`
    const hashes = Object.fromEntries(files.map(({ hash }, index) => [`file ${index + 1}`, hash]))
    return { ...preview, then, basis: { ...preview.basis, ...hashes } }
  },
  ending: () => ({ look: 'Look at the site: whether the files arrived is not known.' }),
  run: ({ ref, paths }, context, ports) =>
    actOn(ref, { context, ports }, async ({ locator }) => {
      const files = paths.map((path, index) => {
        const file = ports.upload(sessionOf(context), path)
        if (file.hash !== context.preview?.basis?.[`file ${index + 1}`])
          throw new Mistake(`paths: ${path} has changed since. Nothing was uploaded.`)
        return { name: file.name, mimeType: 'application/octet-stream', buffer: file.bytes }
      })
      await locator.setInputFiles(files, { signal: context.signal })
    }),
})
