type Props = {
  /** Why the runbook cannot be saved; undefined if it can. */
  saveRest: string | undefined
  /** Why the runbook cannot be run; undefined if it can. */
  runRest: string | undefined
  onSave: () => void
  onRun: () => void
}

/** The buttons Save and Run at the top of a runbook, and why one of them is disabled. */
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
