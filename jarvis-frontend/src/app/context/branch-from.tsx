import type { CheckpointDetail, CheckpointFile } from 'protocol'
import { useEffect, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { readCheckpoint } from '../../api/context.ts'
import { branchSession } from '../../api/session-acts.ts'
import { sessions } from '../../api/sessions.ts'
import { plural, timeOfDay } from '../../lib/format.ts'
import { navigate } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import { visibleText } from '../../ui/visible.ts'
import { say } from '../announce.tsx'
import { live } from '../live.ts'
import { useIsLive } from '../load-state.tsx'
import './context.css'

/** Creates a branch that starts before a message. First shows which files are restored, which stay and why, and what is not undone. */
export function BranchFrom({ sessionId, seq, onEnd }: { sessionId: string; seq: number; onEnd: () => void }) {
  const [detail, setDetail] = useState<CheckpointDetail>()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const isLive = useIsLive()
  const isOperator = useValue(signedIn)?.role === 'operator'
  const { view } = useValue(live.chat.open(sessionId).calm)
  useEffect(() => {
    readCheckpoint(sessionId, seq).then(setDetail, (error: Error) => setProblem(error.message))
  }, [sessionId, seq])
  const branch = async (restoreFiles: boolean) => {
    setBusy(true)
    try {
      const made = await branchSession(sessionId, { before: seq, ...(restoreFiles && { restoreFiles }) })
      sessions.renew()
      say(toldOf(made.restored ?? []))
      onEnd()
      navigate(`/chat/${made.id}`, { state: { write: true } })
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'It could not be branched.')
      setBusy(false)
    }
  }
  if (detail === undefined) return <p className="context-note">{problem ?? 'Looking at files and changes…'}</p>
  const { files, notUndone, text, at } = detail
  const back = files.filter(({ goesBack }) => goesBack)
  const stay = files.filter(({ goesBack }) => !goesBack)
  const open =
    (view?.pending.length ?? 0) + (view?.questions.length ?? 0) > 0
      ? 'Something waits for you.'
      : view?.runId !== undefined
        ? 'An answer goes on.'
        : undefined
  const because = isLive ? open : 'No connection.'
  return (
    <section className="branch-from" aria-label="Branch from this message">
      <h3>
        Branch from “{visibleText(text.slice(0, 80))}”, {timeOfDay(at)}
      </h3>
      <p>A copy up to there, without this message. This session stays as it is.</p>
      <dl className="context-facts">
        <div>
          <dt>Files</dt>
          <dd>
            {files.length === 0 && 'none written since'}
            {back.length > 0 && (
              <span>
                {back.length === 1 ? '1 goes back' : `${back.length} go back`} <small>{names(back)}</small>
              </span>
            )}
            {stay.map(({ path, because: why }) => (
              <span key={path}>
                stays: <small>{visibleText(path)}</small> {why}
              </span>
            ))}
          </dd>
        </div>
        <div>
          <dt>Not undone</dt>
          <dd>
            {notUndone.length === 0
              ? 'nothing was changed since'
              : plural(notUndone.length, 'change stays', 'changes stay')}
            {notUndone.map(({ toolUseId, line, outcome }) => (
              <small key={toolUseId} className="mono">
                {visibleText(line)}
                {outcome === 'done' ? '' : outcome === 'failed' ? ', failed' : ', outcome not known'}
              </small>
            ))}
          </dd>
        </div>
      </dl>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <div className="context-acts">
        {back.length > 0 && isOperator && (
          <button
            type="button"
            className="button small solid"
            disabled={isBusy || because !== undefined}
            onClick={() => void branch(true)}
          >
            Branch, files too
          </button>
        )}
        <button
          type="button"
          className="button small"
          disabled={isBusy || because !== undefined}
          onClick={() => void branch(false)}
        >
          {back.length > 0 ? 'Branch, leave files' : 'Branch'}
        </button>
        <button type="button" className="button small quiet" onClick={onEnd}>
          Close
        </button>
        {because !== undefined && <span className="context-note">{because}</span>}
      </div>
    </section>
  )
}

const names = (files: readonly CheckpointFile[]) => files.map(({ path }) => visibleText(path)).join(', ')

function toldOf(restored: readonly CheckpointFile[]): string {
  const back = restored.filter(({ goesBack }) => goesBack)
  const undone = back.filter(({ because }) => because !== undefined).length
  const stay = restored.length - back.length
  if (restored.length === 0) return 'Branched.'
  const asked = undone === 0 ? '' : ` ${plural(undone, 'undo', 'undos')} of files run in the new session.`
  return `Branched. ${plural(back.length - undone, 'file')} went back${stay === 0 ? '' : `, ${stay} stayed`}.${asked}`
}
