import type { InputHTMLAttributes } from 'react';
import { classes } from '../classes.ts';
import { useFieldProps } from './field.tsx';
import styles from './slider.module.css';

export interface SliderProps
  extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'value' | 'onChange' | 'min' | 'max'> {
  readonly value: number;
  readonly onChange: (value: number) => void;
  readonly min: number;
  readonly max: number;
}

export function Slider({ value, onChange, min, max, className, id, ...rest }: SliderProps) {
  const field = useFieldProps({ id });
  const part = max === min ? 0 : ((value - min) / (max - min)) * 100;
  return (
    <input
      {...field}
      {...rest}
      type="range"
      className={classes(styles.range, className)}
      style={{ ['--value' as string]: `${part}%` }}
      min={min}
      max={max}
      value={value}
      onChange={(event) => onChange(event.target.valueAsNumber)}
    />
  );
}
