import type { ClassifyReply } from 'protocol'
import { isFinal } from 'protocol/facts'
import { useIsLive } from '../../app/load-state.tsx'
import { Over } from '../../app/over.tsx'
import { commandLine } from '../../features/confirmations/sentence.ts'
import { undoWords } from '../../features/confirmations/undo-words.ts'
import { useVerdict } from '../../features/tools/use-verdict.ts'
import { capital } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'

const wouldBe = { green: 'runs at once', yellow: 'runs, and is journalled', red: 'waits for you', black: 'is refused' }

/** Asks for the verdict on the call that a form makes. `isWrong`: the input is invalid, and the verdict's `reason` says why. */
export function useCall(tool: string, input: Record<string, unknown>, isComplete: boolean) {
  const { verdict, problem } = useVerdict(tool, input, isComplete)
  return { tool, input, verdict, problem, isWrong: verdict?.rule === 'invalid_arguments' }
}

type Props = {
  title: string
  call: ReturnType<typeof useCall>
  /** The text that is shown while the call cannot be asked for. */
  rest: string
  /** An error of the input that no field shows. */
  wrong: string | undefined
  onAsk: (command: string) => void
  onClose: () => void
  children: React.ReactNode
}

/** A form for a call: fields, the gate's verdict on the call, and the button that asks for the call in a new chat. */
export function CallForm({ title, call, rest, wrong, onAsk, onClose, children }: Props) {
  const { tool, input, verdict, problem, isWrong } = call
  const isLive = useIsLive()
  const canAsk = isLive && verdict !== undefined && !isWrong && verdict.tier !== 'black'
  return (
    <Over label={title} onClose={onClose}>
      <form
        className="guest-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!canAsk) return
          onAsk(commandLine(tool, input))
          // The chat may open slowly. Close the form now, so that it is closed when the person returns.
          onClose()
        }}
      >
        <PanelHead title={title} />
        <div className="guest-form-fields scroll">{children}</div>
        <div className="guest-form-said" role="status">
          {isWrong ? (
            wrong !== undefined && (
              <p>
                <Mark kind="bad" size={11} /> <Visible text={capital(wrong)} />
              </p>
            )
          ) : verdict !== undefined ? (
            <Said verdict={verdict} />
          ) : (
            <p className="text-soft">{problem ?? rest}</p>
          )}
        </div>
        <footer>
          {!isLive && <span className="text-soft">No connection</span>}
          <button type="button" className="button quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button solid" aria-disabled={!canAsk}>
            {verdict?.tier === 'yellow' && !isWrong ? 'Run it' : 'Ask for it…'}
          </button>
        </footer>
      </form>
    </Over>
  )
}

function Said({ verdict: { tier, reason, preview } }: { verdict: ClassifyReply }) {
  return (
    <>
      <p>
        <Tier tier={tier} size={12} />{' '}
        <b>
          {tierWord[tier]}: it {wouldBe[tier]}.
        </b>{' '}
        <span className="text-soft">
          <Visible text={reason} />
        </span>
      </p>
      {preview !== undefined && (
        <dl className="guest-form-facts">
          {preview.now !== undefined && <Fact name="Now" text={preview.now} />}
          {preview.then !== undefined && <Fact name="Then" text={preview.then} />}
          <Fact
            name="Undo"
            text={`${isFinal(preview.undo) ? 'Cannot be undone: ' : ''}${undoWords(preview.undo, Date.now())}${preview.mayGoBack ? '. The card can let it go back by itself unless you keep it' : ''}`}
          />
        </dl>
      )}
    </>
  )
}

const Fact = ({ name, text }: { name: string; text: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <Visible text={capital(text)} />
    </dd>
  </div>
)
