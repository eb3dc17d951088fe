import styles from './avatar.module.css';

/** The initials of a name. The name stands beside it. */
export function Avatar({ name }: { readonly name: string }) {
  const words = name.split(/[\s._@-]+/).filter((word) => word !== '');
  const initials = words.length > 1 ? words.slice(0, 2).map((word) => word.slice(0, 1)) : [name.slice(0, 1)];
  return (
    <span aria-hidden="true" className={styles.avatar}>
      {initials.join('').toUpperCase()}
    </span>
  );
}
