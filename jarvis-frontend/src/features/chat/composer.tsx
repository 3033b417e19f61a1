import type { ToolInfo } from 'protocol'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { shortModel } from '../../lib/format.ts'
import { keep } from '../../lib/keep.ts'
import { sends, useEnterHint } from '../../ui/enter.ts'
import { Icon } from '../../ui/icon.tsx'
import { TierLegend } from '../../ui/tier.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import type { NounName, SkillName, Suggestion } from './complete.ts'

type Props = {
  /** Key of the stored draft: a session's id, or `new`. */
  draftKey: string
  model: string | undefined
  /** Opens the choice of model; undefined if this person may not choose. */
  onModel?: (() => void) | undefined
  tools: readonly ToolInfo[]
  nouns: readonly NounName[]
  /** Reads the skills that a line can begin with. */
  readSkills: () => Promise<readonly SkillName[]>
  isRunning: boolean
  /** The next message answers a question of the model. */
  isAnswer: boolean
  /** False while there is no connection: nothing can be sent, and the text stays. */
  isLive: boolean
  /** The reason why nothing can be sent here; undefined if sending is possible. */
  rest?: string | undefined
  /** A new value moves the focus to the composer. */
  focusKey?: string | undefined
  /** Sends the message. @param text the whole text; a command as it was typed */
  onSend: (text: string) => void
  onStop: () => void
  /** Lines above the field, such as the queue and the connection state. */
  children?: React.ReactNode
}

type Suggesting = typeof import('./suggestions.tsx')

/** Loads the code of the suggestions, at the latest when the text contains `/` or `@`. */
function useSuggesting(text: string): Suggesting | undefined {
  const isWanted = /[/@]/.test(text)
  const [part, setPart] = useState<Suggesting>()
  useEffect(() => {
    if (isWanted) import('./suggestions.tsx').then(setPart, () => undefined)
  }, [isWanted])
  return part
}

/** Reads the skills again each time the person begins to type a name. */
function useSkills(isWanted: boolean, read: Props['readSkills']): readonly SkillName[] | undefined {
  const [skills, setSkills] = useState<readonly SkillName[]>()
  const reads = useRef(read)
  reads.current = read
  useEffect(() => {
    if (isWanted) reads.current().then(setSkills, () => undefined)
  }, [isWanted])
  return skills
}

/** The suggestions for the word at the cursor, and the keys that move in them. */
function useCompletion(text: string, { tools, nouns, readSkills }: Pick<Props, 'tools' | 'nouns' | 'readSkills'>) {
  const [cursor, setCursor] = useState(0)
  const [chosen, setChosen] = useState(0)
  const [hasMoved, setMoved] = useState(false)
  const [isClosed, setClosed] = useState(false)
  const part = useSuggesting(text)
  const skills = useSkills(text.startsWith('/'), readSkills)
  const completion = isClosed ? undefined : part?.complete(text, cursor, { tools, nouns, skills })
  const suggestions = completion?.suggestions ?? []
  const picked = suggestions[Math.min(chosen, suggestions.length - 1)]
  /** Shows the suggestions anew after the text changed. */
  const restart = (at: number) => {
    setCursor(at)
    setChosen(0)
    setMoved(false)
    setClosed(false)
  }
  /** @returns true if the key was for the suggestions and is handled */
  const handleKey = (event: React.KeyboardEvent, take: (suggestion: Suggestion) => void): boolean => {
    if (picked === undefined) return false
    const move = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    // Enter sends a completely typed name. Enter takes a suggestion if it was chosen with the arrows, or if Enter would send a partly typed name.
    const isPart = completion?.from === 0 ? text !== picked.insert.trimEnd() : !text.startsWith('/')
    const isEnter = event.key === 'Enter' && !event.shiftKey && !event.ctrlKey && !event.metaKey
    if (move !== 0) {
      setChosen((chosen + move + suggestions.length) % suggestions.length)
      setMoved(true)
    } else if (event.key === 'Escape') {
      event.stopPropagation()
      setClosed(true)
    } else if (event.key === 'Tab' || (isEnter && (hasMoved || (isPart && sends(event))))) take(picked)
    else return false
    event.preventDefault()
    return true
  }
  return { part, completion, picked, setCursor, restart, handleKey }
}

type Field = React.RefObject<HTMLTextAreaElement | null>

/** Moves the focus to the end of the field each time `focusKey` changes. */
function useFocusAtEnd(field: Field, focusKey: string | undefined) {
  // A layout effect, so that the next key press already goes to the field.
  useLayoutEffect(() => {
    const element = field.current
    if (focusKey === undefined || element === null) return
    element.focus()
    element.setSelectionRange(element.value.length, element.value.length)
  }, [field, focusKey])
}

/** Makes the field as high as its text, up to 220 px. */
function useGrowing(field: Field, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field grows with its text
  useLayoutEffect(() => {
    const element = field.current
    if (element === null) return
    element.style.height = 'auto'
    element.style.height = `${Math.min(element.scrollHeight, 220)}px`
  }, [field, text])
}

export function Composer({
  draftKey,
  model,
  onModel,
  tools,
  nouns,
  readSkills,
  isRunning,
  isAnswer,
  isLive,
  rest,
  focusKey,
  onSend,
  onStop,
  children,
}: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(() => keep.get(`draft.${draftKey}`) ?? '')
  const list = useId()
  const isPhone = useMedia(phone)
  const enterHint = useEnterHint()
  const { part, completion, picked, setCursor, restart, handleKey } = useCompletion(text, { tools, nouns, readSkills })
  useFocusAtEnd(field, focusKey)
  useGrowing(field, text)
  const canSend = rest === undefined && isLive && /\S/.test(text)

  const change = (value: string, at: number) => {
    setText(value)
    restart(at)
    keep.set(`draft.${draftKey}`, value === '' ? undefined : value)
  }
  /** Inserts text as if the person typed it, so that the browser can undo it. The caret is behind the text before the next key press. */
  const put = (words: string, from: number, to = from) => {
    field.current?.focus()
    field.current?.setSelectionRange(from, to)
    document.execCommand('insertText', false, words)
  }
  const take = ({ insert }: Suggestion) => {
    if (completion === undefined) return
    const { from, to } = completion
    // The suggestion already ends with a space, so replace the space that follows.
    put(insert, from, insert.endsWith(' ') && text[to] === ' ' ? to + 1 : to)
  }
  const begin = (sign: '/' | '@') => {
    if (sign === '/') put(sign, 0)
    else put(/\S$/.test(text) ? ' @' : '@', text.length)
  }
  const send = () => {
    if (!canSend) return
    change('', 0)
    onSend(text.trim())
    field.current?.focus()
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (handleKey(event, take) || !sends(event)) return
    event.preventDefault()
    send()
  }

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="composer-column">
        {children}
        {part !== undefined && completion !== undefined && (
          <part.Suggestions list={list} completion={completion} picked={picked} onTake={take} />
        )}
        <div className="composer-box">
          <textarea
            ref={field}
            id="composer"
            dir="auto"
            rows={1}
            value={text}
            aria-label="Message"
            aria-autocomplete="list"
            aria-controls={picked && list}
            aria-activedescendant={picked && part?.idOf(list, picked)}
            placeholder={
              rest ??
              (isAnswer
                ? 'Or answer in your own words'
                : isPhone
                  ? 'Ask, / or @'
                  : 'Ask, or / for commands, @ for a node or guest')
            }
            enterKeyHint={enterHint}
            disabled={rest !== undefined}
            onChange={(event) => change(event.target.value, event.target.selectionStart)}
            onSelect={(event) => setCursor(event.currentTarget.selectionStart)}
            onKeyDown={onKeyDown}
          />
          <ComposerActs
            model={model}
            onModel={onModel}
            isRunning={isRunning && isLive}
            isAnswer={isAnswer}
            rest={rest}
            canSend={canSend}
            onBegin={begin}
            onStop={onStop}
          />
        </div>
        <TierLegend />
      </div>
    </form>
  )
}

type ActsProps = Pick<Props, 'model' | 'onModel' | 'isRunning' | 'isAnswer' | 'rest' | 'onStop'> & {
  canSend: boolean
  /** Begins a command or the name of a node or guest. */
  onBegin: (sign: '/' | '@') => void
}

/** The buttons below the field. Other parts of the page add their own buttons to `#composer-more`. */
function ComposerActs({ model, onModel, isRunning, isAnswer, rest, canSend, onBegin, onStop }: ActsProps) {
  const isOpen = rest === undefined
  return (
    <div className="composer-acts">
      {model !== undefined && (
        <button
          type="button"
          className="button small quiet model cut"
          title={`${model} answers. Choose another`}
          onClick={onModel}
          disabled={onModel === undefined}
        >
          <span className="cut">{shortModel(model)}</span>
          {onModel !== undefined && <Icon name="down" />}
        </button>
      )}
      {isOpen && (
        <>
          <button type="button" className="button small quiet" aria-label="Commands" onClick={() => onBegin('/')}>
            /
          </button>
          <button
            type="button"
            className="button small quiet"
            aria-label="Name a node or guest"
            onClick={() => onBegin('@')}
          >
            @
          </button>
        </>
      )}
      <span id="composer-more" />
      <span className="flex-1" />
      {isRunning && isOpen && (
        <button type="button" className="button small stop" onClick={onStop}>
          <Icon name="stop" />
          <span>Stop</span>{' '}
          <span className="key" aria-hidden="true">
            Esc
          </span>
        </button>
      )}
      {isOpen && (
        <button
          type="submit"
          className={`button small solid send${canSend ? '' : ' is-empty'}`}
          aria-disabled={!canSend}
        >
          <span>{isAnswer ? 'Answer' : isRunning ? 'Queue' : 'Send'}</span> <Icon name="up" />
        </button>
      )}
    </div>
  )
}
