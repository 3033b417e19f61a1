import { useState } from 'react'
import type { Call } from '../runs.ts'
import { InputOutput } from '../tool-io.tsx'

/** The part below the view of a call: the facts in `children` and, on request, the exact input and output of the call. */
export function Exact({
  call,
  isOpen: begins = false,
  children,
}: {
  call: Call
  isOpen?: boolean
  children?: React.ReactNode
}) {
  const [isOpen, setOpen] = useState(begins)
  return (
    <>
      {!begins && (
        <p className="view-foot">
          {children}
          <button type="button" className="view-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Exact input and output
          </button>
        </p>
      )}
      {isOpen && (
        <div className="io">
          <InputOutput call={call} />
        </div>
      )}
    </>
  )
}
