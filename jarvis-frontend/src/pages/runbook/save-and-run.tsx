type Props = {
  /** Why it cannot be saved; undefined where it can. */
  saveRest: string | undefined
  /** Why it cannot be run. */
  runRest: string | undefined
  onSave: () => void
  onRun: () => void
}

/** The two buttons at the head of a runbook, and why one of them rests. */
export const SaveAndRun = ({ saveRest, runRest, onSave, onRun }: Props) => (
  <>
    <button
      type="button"
      className="button small"
      aria-disabled={saveRest !== undefined}
      title={saveRest}
      onClick={onSave}
    >
      Save
    </button>
    <button
      type="button"
      className="button small"
      aria-disabled={runRest !== undefined}
      title={runRest}
      onClick={onRun}
    >
      Run once…
    </button>
    {(runRest ?? saveRest) !== undefined && <small className="text-dim">{runRest ?? saveRest}</small>}
  </>
)
