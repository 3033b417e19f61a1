import { Tier, tierWord } from '../../ui/tier.tsx'
import type { Completion, Suggestion } from './complete.ts'

/** The code that is loaded when the person types something that can be completed. */
export { complete } from './complete.ts'

/** Returns the id of a suggestion's element. @param list element id of the list */
export const idOf = (list: string, { key }: Suggestion): string => `${list} ${key}`.replaceAll(/\s/g, '-')

type Props = {
  /** Element id of the list. */
  list: string
  completion: Completion
  picked: Suggestion | undefined
  onTake: (suggestion: Suggestion) => void
}

/** The list of suggestions above the composer. The composer's field keeps the focus. */
export function Suggestions({ list, completion: { hint, suggestions }, picked, onTake }: Props) {
  if (suggestions.length === 0 && hint === undefined) return null
  return (
    <div className="suggestions">
      {hint !== undefined && <p className="hint mono">{hint}</p>}
      {suggestions.length > 0 && (
        <div id={list} role="listbox" aria-label="Suggestions" className="options scroll">
          {suggestions.map((suggestion) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field's arrow keys choose
            <div
              key={suggestion.key}
              id={idOf(list, suggestion)}
              role="option"
              tabIndex={-1}
              aria-selected={suggestion === picked}
              ref={(element) => {
                if (suggestion === picked) element?.scrollIntoView({ block: 'nearest' })
              }}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onTake(suggestion)}
            >
              {suggestion.tier === undefined ? <span /> : <Tier tier={suggestion.tier} size={13} />}
              <span className="mono">{suggestion.label}</span>
              <small className="cut">{suggestion.detail}</small>
              {suggestion.tier !== undefined && <small>{tierWord[suggestion.tier]}</small>}
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
