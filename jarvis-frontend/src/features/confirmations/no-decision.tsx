import { Mark } from '../../ui/mark.tsx'
import type { Hand } from './answer.tsx'

/**
 * Shown in place of the buttons while no decision is possible; says why. It is its own component, so that React never turns a focused button into
 * another button.
 */
export const Resting = ({ why, tryNow }: NonNullable<Hand['rest']>) => (
  <footer>
    <span className="resting">
      <Mark kind="unknown" />
      {why}
    </span>
    {tryNow !== undefined && (
      <button type="button" className="button small quiet" onClick={tryNow}>
        Try now
      </button>
    )}
  </footer>
)

/** Stands in place of the buttons while a decision is signed or sent. */
export const Sending = ({ isSigning }: { isSigning: boolean }) => (
  <>
    <div className="progress">
      <div className="meter endless">
        <i />
      </div>
    </div>
    <footer>
      <span className="text-soft" role="status">
        {isSigning ? 'Your passkey is asked to sign…' : 'Sending your decision…'}
      </span>
    </footer>
  </>
)
