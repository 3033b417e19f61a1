import { type ComponentType, lazy, Suspense, useRef, useState } from 'react'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { guestMark, nodeMark } from './health.ts'
import { findNouns, type Noun, nounOf } from './nouns.ts'
import { StateMark } from './state-mark.tsx'
import { useCluster, useClusterStore } from './store.ts'

const Peek = lazy(() => import('./peek.tsx').then((part) => ({ default: part.Peek })))

type Ask = (question: string) => void

/** `Live` draws the name of a guest or node. Most texts have no such name, so a text is redrawn only if names of guests or nodes change. */
type Props = { text: string; Live: ComponentType<{ noun: Noun }> }

/** Text whose guests and nodes show their live state. */
export function NounText({ text, Live }: Props) {
  const state = useValue(useClusterStore().named)
  if (state === undefined) return text
  return findNouns(text, state).map((piece, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
    typeof piece === 'string' ? piece : <Live key={at} noun={piece} />,
  )
}

/** A code span. It shows live state if its whole text names a guest or node. */
export function NounCode({ text, Live }: Props) {
  const state = useValue(useClusterStore().named)
  const noun = state === undefined ? undefined : nounOf(text, state)
  return noun === undefined ? <code>{text}</code> : <Live noun={noun} />
}

export function NounButton({ noun, onAsk }: { noun: Noun; onAsk?: Ask | undefined }) {
  const { state, isLive, issues } = useCluster()
  const [anchor, setAnchor] = useState<DOMRect>()
  const button = useRef<HTMLButtonElement>(null)
  const toggle = () => setAnchor(anchor === undefined ? button.current?.getBoundingClientRect() : undefined)
  const guest = noun.kind === 'guest' ? state?.guests.find((known) => known.vmid === noun.vmid) : undefined
  const node = noun.kind === 'node' ? state?.nodes.find((known) => known.name === noun.name) : undefined
  return (
    <>
      <button type="button" ref={button} className="noun" aria-expanded={anchor !== undefined} onClick={toggle}>
        {guest !== undefined && (
          <>
            <StateMark kind={guestMark(guest, issues, isLive)} size={9} />
            <span className="num">{guest.vmid}</span>
            <bdi>
              <Visible text={guest.name} />
            </bdi>
          </>
        )}
        {node !== undefined && (
          <>
            <StateMark kind={nodeMark(node, issues, isLive)} size={9} />
            {node.name}
          </>
        )}
        {guest === undefined && node === undefined && (noun.kind === 'guest' ? noun.vmid : noun.name)}
      </button>
      {anchor !== undefined && (
        <Suspense fallback={null}>
          <Peek
            noun={noun}
            anchor={anchor}
            onClose={() => {
              setAnchor(undefined)
              button.current?.focus()
            }}
            onAsk={onAsk}
          />
        </Suspense>
      )}
    </>
  )
}
