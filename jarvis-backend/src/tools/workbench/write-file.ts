import { named } from 'redaction/visible'
import { z } from 'zod'
import { planned } from '../../workbench/files/planned.ts'
import { changeEffect, changesPath, type FilePorts, fileTool, madeFor, opened, Path, previewOf } from './file-tool.ts'

export const Hash = z.string().regex(/^[0-9a-f]{12,64}$/, 'is the hash that read_file shows')

const input = z.strictObject({
  path: Path,
  content: z.string().max(400_000).describe('The whole content, as it should stand there.'),
  hash: Hash.optional().describe('Of the file that is replaced, from read_file. Absent: the file is new.'),
})

const changesOf = ({ path: given, content, hash }: z.output<typeof input>, ports: FilePorts, sessionId?: string) => {
  const { name, root, path } = opened(given, ports, sessionId)
  return planned({ rootName: name, path, hash, content }, root, ports.store)
}

export const writeFile = fileTool({
  ...changesPath,
  name: 'write_file',
  title: 'Write a file of the host',
  description:
    'Writes a whole file in a root of the workbench: a new one, or with `hash` in place of the one that was read. Use edit_file to change a part. Makes the folders that it needs. In session/ it runs at once, elsewhere a person is shown the difference.',
  input,
  effects: ({ path, hash }, world) => [
    changeEffect(path, world, {
      sentence: `The file ${named(path)} is ${hash === undefined ? 'made' : 'replaced'}, as the difference shows.`,
      deed: `write the file as shown`,
    }),
  ],
  prepare: async (asked, { sessionId }, ports) => previewOf(changesOf(asked, ports, sessionId), ports, sessionId),
  run: async (asked, context, ports) => madeFor(changesOf(asked, ports, context.sessionId), ports, context),
})
