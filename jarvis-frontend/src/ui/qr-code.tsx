import { lazy, Suspense } from 'react'

const QrDrawing = lazy(() => import('./qr-drawing.tsx').then((part) => ({ default: part.QrDrawing })))

/**
 * A QR code, dark on light in every theme. Its space stays reserved while the code that draws it is loaded.
 * @param text at most 213 bytes; nothing is drawn for a longer text. @param size px
 */
export const QrCode = ({ text, label, size = 184 }: { text: string; label: string; size?: number }) => (
  <Suspense fallback={<div className="qr" style={{ width: size, height: size }} aria-busy="true" />}>
    <QrDrawing text={text} label={label} size={size} />
  </Suspense>
)
