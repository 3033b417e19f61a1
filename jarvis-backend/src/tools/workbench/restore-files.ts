import { leadsOut } from 'node-kit/leads-out'
import { z } from 'zod'
import { Mistake, pathEffect } from '../../gate/index.ts'
import { entryAt, outWords } from '../../workbench/files/apply.ts'
import { type FileChange, isSame, shownPath } from '../../workbench/files/entry.ts'
import { entryOf, markForm } from '../../workbench/files/marks.ts'
import { changesPath, type FilePorts, fileTool, madeFor, opened, Path, previewOf } from './file-tool.ts'

const Mark = z.string().regex(markForm)
const input = z.strictObject({
  files: z
    .array(z.strictObject({ path: Path, now: Mark, then: Mark }))
    .min(1)
    .max(100)
    .describe('What stands at each path, and what shall stand there again.'),
  session: z
    .string()
    .regex(/^ses_[A-Za-z0-9_-]{1,60}$/)
    .optional()
    .describe('Whose folder session/ is; absent: this conversation’s.'),
})

/** The session and the person for whom files are restored. */
type By = { sessionId?: string | undefined; person?: string | undefined }

/** @throws Mistake if a file is no longer as the change left it, nothing is left to take back, or the person may not write in the session */
function changesOf({ files, session }: z.output<typeof input>, ports: FilePorts, by: By): FileChange[] {
  const own = by.sessionId
  if (session !== undefined && session !== own && !ports.mayWriteIn(session, by.person))
    throw new Mistake('session: it is no conversation in which you may write.')
  const changes = files.map(({ path: given, now, then }): FileChange => {
    const { name: root, path, place } = opened(given, ports, session ?? own)
    const why = ports.closed(place)
    if (why !== undefined) throw new Mistake(`files: ${given}: ${why}`)
    const change: FileChange = { root, path, old: entryOf(now), new: entryOf(then) }
    if (change.new.kind === 'link' && leadsOut(path, change.new.to)) throw new Mistake(`files: ${outWords(change)}`)
    return change
  })
  let left = 0
  for (const change of changes) {
    const stands = entryAt(ports.rootOf(change.root), change.path)
    if (isSame(stands, change.new)) continue
    left += 1
    if (!isSame(stands, change.old))
      throw new Mistake(`files: ${shownPath(change)} was changed since by something else, so it is left as it is.`)
    if (change.new.kind === 'file' && ports.store.read(change.new.hash) === undefined)
      throw new Mistake(`files: what ${shownPath(change)} held is not kept any more.`)
  }
  if (left === 0) throw new Mistake('files: all of them hold that already. Nothing is changed.')
  return changes
}

export const restoreFiles = fileTool({
  ...changesPath,
  name: 'restore_files',
  title: 'Put files of the host back',
  description:
    'Puts back what files held before a change that JARVIS made. Use the tool undo with the change’s id; this is the call that it makes. Refuses where a file was changed since.',
  input,
  // A caller may put bytes of another file into `then`, so only calls that `undo` makes have a grant's scope.
  effects: ({ files }, world) =>
    files.map(({ path }) =>
      pathEffect(
        {
          kind: 'data',
          path,
          isShownWhole: true,
          sentence: `${files.length === 1 ? 'One file holds' : `${files.length} files hold`} again what ${files.length === 1 ? 'it' : 'they'} held before, as the difference shows.`,
          deed: 'put the files back as shown',
        },
        world,
      ),
    ),
  prepare: async (asked, { sessionId, person }, ports) =>
    previewOf(changesOf(asked, ports, { sessionId, person }), ports, asked.session ?? sessionId),
  run: async (asked, context, ports) => {
    const { sessionId, asker } = context
    return madeFor(changesOf(asked, ports, { sessionId, person: asker?.person }), ports, context)
  },
})
