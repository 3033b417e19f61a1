import { Boxed } from '../../ui/boxed.tsx'
import type { Piece } from './sentence.ts'

export function Sentence({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map((piece, at) =>
    typeof piece === 'string' ? (
      piece
    ) : 'id' in piece ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
      <span key={at} className="num">
        {piece.id}
      </span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <Boxed key={at} text={piece.value} />
    ),
  )
}
