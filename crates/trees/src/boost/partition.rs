//! The data partition: the rows of a node, parted stably by a split.

use rayon::prelude::*;

/// Rows of a block that one task parts.
const BLOCK: usize = 1 << 14;

/// Parts `rows` in place: those whose code goes left first, both sides in the order they were in. Returns how many
/// went left. `room` is as long as `rows`.
pub(crate) fn part(rows: &mut [u32], room: &mut [u32], codes: &[u8], sides: &[bool; 256]) -> usize {
    if rows.len() <= 2 * BLOCK {
        let (lefts, rights) = part_block(rows, room, codes, sides);
        let (low, high) = rows.split_at_mut(lefts);
        low.copy_from_slice(&room[..lefts]);
        high.iter_mut().zip(room[lefts..lefts + rights].iter().rev()).for_each(|(to, &from)| *to = from);
        return lefts;
    }
    let counts: Vec<(usize, usize)> = room
        .par_chunks_mut(BLOCK)
        .zip(rows.par_chunks(BLOCK))
        .map(|(room, rows)| part_block(rows, room, codes, sides))
        .collect();
    let n_left: usize = counts.iter().map(|c| c.0).sum();
    let (mut low, mut high) = rows.split_at_mut(n_left);
    let mut tasks = Vec::with_capacity(counts.len());
    for (&(lefts, rights), from) in counts.iter().zip(room.chunks(BLOCK)) {
        let (to_left, rest) = low.split_at_mut(lefts);
        low = rest;
        let (to_right, rest) = high.split_at_mut(rights);
        high = rest;
        tasks.push((to_left, to_right, from));
    }
    tasks.into_par_iter().for_each(|(to_left, to_right, from)| {
        let (lefts, rights) = from.split_at(to_left.len());
        to_left.copy_from_slice(lefts);
        to_right.iter_mut().zip(rights[..].iter().rev()).for_each(|(to, &from)| *to = from);
    });
    n_left
}

/// Writes the rows that go left to the front of `room`, the others from its end backwards.
fn part_block(rows: &[u32], room: &mut [u32], codes: &[u8], sides: &[bool; 256]) -> (usize, usize) {
    let room = &mut room[..rows.len()];
    let (mut left, mut right) = (0, rows.len());
    for &i in rows {
        let goes_left = sides[usize::from(codes[i as usize])];
        // One of the two writes is overwritten by the next row, or is where the other side ends.
        room[left] = i;
        room[right - 1] = i;
        left += usize::from(goes_left);
        right -= usize::from(!goes_left);
    }
    (left, rows.len() - left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_keep_their_order() {
        let mut sides = [false; 256];
        sides[1] = true;
        for n in [0, 1, 2, 100, 5 * BLOCK + 3] {
            let codes: Vec<u8> = (0..n).map(|i| u8::from(i % 3 == 0 || i % 7 == 2)).collect();
            for only in [0, 1, 2] {
                let codes: Vec<u8> = codes.iter().map(|&c| if only < 2 { only } else { c }).collect();
                let mut rows: Vec<u32> = (0..n as u32).collect();
                let (low, high): (Vec<u32>, Vec<u32>) = rows.iter().partition(|&&i| codes[i as usize] == 1);
                let n_left = part(&mut rows, &mut vec![0; n], &codes, &sides);
                assert_eq!((&rows[..n_left], &rows[n_left..]), (&low[..], &high[..]));
            }
        }
    }
}
