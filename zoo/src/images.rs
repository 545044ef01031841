//! Images with a class each: what MNIST, CIFAR-10 and synthetic images have in common.

use poorgrad::Tensor;

/// Images of one size in bytes, and the class of each.
///
/// ```
/// use zoo::images::Images;
///
/// let images = Images::new([1, 2, 2], vec![0, 255, 51, 0, 255, 0, 0, 0], vec![3, 1]).unwrap();
/// let (pixels, classes) = images.batch(&[1], 0.0, 1.0);
/// assert_eq!(pixels.to_vec(), [1.0, 0.0, 0.0, 0.0]);
/// assert_eq!(classes.columns(), Some(&[1][..]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    extents: [usize; 3],
    pixels: Vec<u8>,
    labels: Vec<u8>,
}

/// Classes of every set here.
pub const CLASSES: usize = 10;

impl Images {
    /// Images of `[channels, rows, columns]` bytes, one behind the other, and their classes, below 10.
    /// What does not fit is named.
    pub fn new(extents: [usize; 3], pixels: Vec<u8>, labels: Vec<u8>) -> Result<Self, String> {
        let each: usize = extents.iter().product();
        if each.checked_mul(labels.len()) != Some(pixels.len()) {
            let (bytes, labels) = (pixels.len(), labels.len());
            return Err(format!(
                "{bytes} bytes are not {labels} images of {extents:?}, one a label"
            ));
        }
        match labels.iter().position(|&label| usize::from(label) >= CLASSES) {
            Some(at) => Err(format!("label {at} is {}, which is no class below 10", labels[at])),
            None => Ok(Self { extents, pixels, labels }),
        }
    }

    /// The number of images.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// `[channels, rows, columns]` of an image.
    pub fn extents(&self) -> [usize; 3] {
        self.extents
    }

    /// The class of each image.
    pub fn labels(&self) -> &[u8] {
        &self.labels
    }

    /// The images from `start` on, as many as `count`; `None` where there are not so many.
    pub fn part(&self, start: usize, count: usize) -> Option<Self> {
        let end = start.checked_add(count)?;
        let each: usize = self.extents.iter().product();
        let labels = self.labels.get(start..end)?.to_vec();
        Some(Self { labels, pixels: self.pixels[start * each..end * each].to_vec(), ..*self })
    }

    /// Without part `index` of so many equal ones, and that part; `None` where there is none of this
    /// number, or nothing is left.
    pub fn fold(&self, index: usize, parts: usize) -> Option<(Self, Self)> {
        let count = self.len().checked_div(parts).filter(|&count| count > 0 && index < parts)?;
        let (start, end) = (index * count, (index + 1) * count);
        let (mut rest, behind) = (self.part(0, start)?, self.part(end, self.len() - end)?);
        rest.pixels.extend(behind.pixels);
        rest.labels.extend(behind.labels);
        Some((rest, self.part(start, count)?)).filter(|(rest, _)| !rest.is_empty())
    }

    /// These images `[count, channels, rows, columns]` as numbers `(pixel / 255 - mean) / deviation`,
    /// and the selection `[count, 10]` of their classes.
    pub fn batch(&self, picks: &[usize], mean: f32, deviation: f32) -> (Tensor, Tensor) {
        let table: Vec<f32> =
            (0..=255).map(|pixel| (pixel as f32 / 255.0 - mean) / deviation).collect();
        let each: usize = self.extents.iter().product();
        let mut numbers = Vec::with_capacity(picks.len() * each);
        for &pick in picks {
            let pixels = &self.pixels[pick * each..(pick + 1) * each];
            numbers.extend(pixels.iter().map(|&pixel| table[usize::from(pixel)]));
        }
        let [channels, rows, columns] = self.extents;
        let classes: Vec<usize> =
            picks.iter().map(|&pick| usize::from(self.labels[pick])).collect();
        let shape = [picks.len(), channels, rows, columns];
        (Tensor::new(shape, numbers), Tensor::selection(&classes, CLASSES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_named() {
        let refused = |extents, pixels: usize, labels: &[u8]| {
            Images::new(extents, vec![0; pixels], labels.to_vec()).unwrap_err()
        };
        assert!(refused([1, 2, 2], 7, &[0, 0]).contains("7 bytes are not 2 images"));
        assert!(refused([1, 1, 1], 2, &[9, 10]).contains("label 1 is 10"));
    }

    #[test]
    fn parts_keep_images_and_classes_together() {
        let images = Images::new([1, 1, 2], (0..8).collect(), vec![0, 1, 2, 3]).unwrap();
        let part = images.part(1, 2).unwrap();
        assert_eq!((part.labels(), part.pixels.as_slice()), (&[1, 2][..], &[2, 3, 4, 5][..]));
        assert!(images.part(2, 3).is_none() && images.part(usize::MAX, 2).is_none());
        assert_eq!(images.part(4, 0).unwrap().len(), 0);
    }

    #[test]
    fn a_fold_is_left_out_of_what_is_learned_from() {
        let images = Images::new([1, 1, 2], (0..10).collect(), vec![0, 1, 2, 3, 4]).unwrap();
        let (rest, part) = images.fold(1, 2).unwrap();
        assert_eq!((rest.labels(), part.labels()), (&[0, 1, 4][..], &[2, 3][..]));
        assert_eq!((rest.pixels, part.pixels), (vec![0, 1, 2, 3, 8, 9], vec![4, 5, 6, 7]));
        for (index, parts) in [(2, 2), (0, 0), (0, 6), (0, 1)] {
            assert_eq!(images.fold(index, parts), None, "{index} of {parts}");
        }
    }
}
