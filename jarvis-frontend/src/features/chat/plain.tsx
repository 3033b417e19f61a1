import { Visible } from '../../ui/boxed.tsx'

/** Characters that are invisible or move other letters, except the variation selectors of emoji. */
const hidden =
  /((?:(?!\n|\t|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u115f\u1160\u2800\u3164\uffa0])+|\[redacted\])/u

/** Draws plain text of any length, with its line breaks and indents. Codes replace invisible characters. Nothing is a link or markup. */
export const Plain = ({ text }: { text: string }) =>
  text
    .replaceAll('\r\n', '\n')
    .split(hidden)
    .map((part, at) =>
      at % 2 === 0 ? (
        part
      ) : part === '[redacted]' ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
        <span key={at} className="redacted">
          redacted
        </span>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <Visible key={at} text={part} />
      ),
    )
