import { useValue } from '../lib/use-value.ts'
import { Value } from '../lib/value.ts'

const polite = new Value('')
const assertive = new Value('')

/** Tells screen readers a sentence, once they finished the present one. */
export const say = (text: string): void => polite.set(text)
/** Interrupts screen readers. For a new card only. */
export const interrupt = (text: string): void => assertive.set(text)

export function Announcer() {
  return (
    <>
      <div className="vh" role="status">
        {useValue(polite)}
      </div>
      <div className="vh" role="alert">
        {useValue(assertive)}
      </div>
    </>
  )
}
