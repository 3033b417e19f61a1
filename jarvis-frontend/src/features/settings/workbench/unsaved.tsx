import type { WorkbenchBody, WorkbenchPreview } from 'protocol'
import { ApiError } from 'protocol/client'
import { useEffect, useState } from 'react'
import { call } from '../../../api/http.ts'
import { FormProblem } from '../form-problem.tsx'
import { areaTitles } from './areas.tsx'

const messageOf = (error: unknown) => (error instanceof ApiError ? error.message : 'The answer could not be read.')

/** The lines that saving the draft would write, and the buttons. @param save throws ApiError @param showDiff draws the lines */
export function Unsaved({
  body,
  isResting,
  showDiff,
  save,
  onDiscard,
}: {
  body: WorkbenchBody
  isResting: boolean
  showDiff: (diff: WorkbenchPreview['diff'][number]) => React.ReactNode
  save: () => Promise<void>
  onDiscard: () => void
}) {
  const [preview, setPreview] = useState<WorkbenchPreview>()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    let isGone = false
    call('POST /api/workbench/preview', { body }).then(
      (found) => {
        if (isGone) return
        setPreview(found)
        setProblem(undefined)
      },
      (error: unknown) => {
        if (isGone) return
        setPreview(undefined)
        setProblem(messageOf(error))
      },
    )
    return () => {
      isGone = true
    }
  }, [body])
  const keep = async () => {
    if (isBusy || isResting || preview === undefined) return
    setBusy(true)
    setProblem(undefined)
    try {
      await save()
    } catch (error) {
      setProblem(messageOf(error))
      setBusy(false)
    }
  }
  const names = (areas: WorkbenchPreview['turnsOn']) => areas.map((name) => areaTitles[name]).join(', ')
  const said = [
    preview === undefined || preview.turnsOn.length === 0 ? '' : `Turns on: ${names(preview.turnsOn)}.`,
    preview === undefined || preview.turnsOff.length === 0 ? '' : `Turns off: ${names(preview.turnsOff)}.`,
  ].filter((part) => part !== '')
  return (
    <section className="bench-unsaved" aria-label="Not saved yet">
      <p>
        <b>Not saved yet.</b> {said.join(' ')} Saving changes lines of policy.yaml; the rest of the file stays as it is.
      </p>
      {preview?.diff.map((file) => (
        <div key={file.path} className="bench-diff">
          {showDiff(file)}
        </div>
      ))}
      {preview !== undefined && preview.diff.length === 0 && <p>No line changes.</p>}
      <FormProblem text={problem} />
      <div className="bench-acts">
        <button
          type="button"
          className="button"
          aria-disabled={isResting || isBusy || preview === undefined}
          onClick={() => void keep()}
        >
          {isBusy ? 'Saving' : 'Save, with your password'}
        </button>
        <button type="button" className="button quiet" onClick={onDiscard}>
          Discard
        </button>
      </div>
    </section>
  )
}
