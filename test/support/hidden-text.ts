/** A command in which characters hide, one of each kind: controls of the terminal, of the order, of width zero, fillers and tags. */
export const HIDING_COMMAND =
  'ls\u001b[2K\u001b]8;;x\u0007 \u202egnp\u2066 a\u200bb\u00adc\ufeffd\u3164e\u115ff\u2800g\u{e0061}\u{e007f} # note\rrm\u009b x\u2028y';

/** The same command as a reader sees it. */
export const SHOWN_COMMAND =
  'ls⟦U+001B⟧[2K⟦U+001B⟧]8;;x⟦U+0007⟧ ⟦U+202E⟧gnp⟦U+2066⟧ a⟦U+200B⟧b⟦U+00AD⟧c⟦U+FEFF⟧d⟦U+3164⟧e⟦U+115F⟧f⟦U+2800⟧g⟦U+E0061⟧⟦U+E007F⟧ # note⟦U+000D⟧rm⟦U+009B⟧ x⟦U+2028⟧y';
