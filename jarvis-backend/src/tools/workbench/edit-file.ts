import { named } from 'redaction/visible'
import { z } from 'zod'
import { planned } from '../../workbench/files/planned.ts'
import { changeEffect, changesPath, type FilePorts, fileTool, madeFor, opened, Path, previewOf } from './file-tool.ts'
import { Hash } from './write-file.ts'

const input = z.strictObject({
  path: Path,
  hash: Hash.describe('Of the file, from read_file.'),
  edits: z
    .array(
      z.strictObject({
        oldText: z
          .string()
          .min(1)
          .max(100_000)
          .describe('Exactly as it stands in the file, without line numbers; once, or with replaceAll.'),
        newText: z.string().max(100_000),
        replaceAll: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(50),
})

const changesOf = ({ path: given, hash, edits }: z.output<typeof input>, ports: FilePorts, sessionId?: string) => {
  const { name, root, path } = opened(given, ports, sessionId)
  return planned({ rootName: name, path, hash, edits }, root, ports.store)
}

export const editFile = fileTool({
  ...changesPath,
  name: 'edit_file',
  title: 'Edit a file of the host',
  description:
    'Replaces texts of one file in a root of the workbench, each exactly as it stands; all of them or none. It takes the hash that read_file showed. In session/ it runs at once, elsewhere a person is shown the difference.',
  input,
  effects: ({ path, edits }, world) => [
    changeEffect(path, world, {
      sentence: `${edits.length === 1 ? 'One part' : `${edits.length} parts`} of the file ${named(path)} ${edits.length === 1 ? 'changes' : 'change'}, as the difference shows.`,
      deed: 'change the file as shown',
    }),
  ],
  prepare: async (asked, { sessionId }, ports) => previewOf(changesOf(asked, ports, sessionId), ports, sessionId),
  run: async (asked, context, ports) => madeFor(changesOf(asked, ports, context.sessionId), ports, context),
})
