import { useValue } from '../lib/use-value.ts'
import { Value } from '../lib/value.ts'

const polite = new Value('')
const assertive = new Value('')

/** Has screen readers read a sentence after the one that they are reading. */
export const say = (text: string): void => polite.set(text)
/** Has screen readers read a sentence at once. Only for new cards. */
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
