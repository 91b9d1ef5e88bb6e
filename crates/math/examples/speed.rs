use mercer_math::*;
use std::time::Instant;
fn best(mut f: impl FnMut()) -> f64 { (0..5).map(|_| { let t = Instant::now(); f(); t.elapsed().as_secs_f64() }).fold(f64::INFINITY, f64::min) }
fn main() {
    let mut rng = rng_for(0, 0);
    let x = Mat::from_fn(200_000, 200, |_, _| uniform(&mut rng) - 0.5);
    let pool1 = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    println!("gram 200000x200: 2 threads {:.3} s", best(|| { std::hint::black_box(gram_blocked(x.view())); }));
    println!("gram 200000x200: 1 thread {:.3} s", pool1.install(|| best(|| { std::hint::black_box(gram_blocked(x.view())); })));
    let w = vec![1.0; 200_000]; let m = vec![0.1; 200];
    println!("weighted centred gram, 1 thread {:.3} s", best(|| { let mut a = Mat::zeros(200, 200); for b in 0..98 { weighted_gram(x.view().rows(b * 2048..(b + 1) * 2048), Some(&w[(b * 2048).min(200_000)..((b + 1) * 2048).min(200_000)]), Some(&m), &mut a); } std::hint::black_box(a); }));
    println!("full gemm XtX 1 thread {:.3} s", best(|| { std::hint::black_box(matmul(x.view().t(), x.view())); }));
    let v = vec![1.0; 200];
    let t = best(|| { std::hint::black_box(gemv(x.view(), &v)); }); println!("gemv {:.4} s {:.1} GB/s", t, 0.32 / t);
    let t = best(|| { std::hint::black_box(gemv_t(x.view(), &w)); }); println!("gemv_t {:.4} s {:.1} GB/s", t, 0.32 / t);
    let xt = x.view().t().to_mat();
    let t = best(|| { std::hint::black_box(gemv(xt.view().t(), &v)); }); println!("gemv col-major {:.4} s {:.1} GB/s", t, 0.32 / t);
    let t = best(|| { std::hint::black_box(gemv_t(xt.view().t(), &w)); }); println!("gemv_t col-major {:.4} s {:.1} GB/s", t, 0.32 / t);
    println!("column moments 2 threads {:.3} s", best(|| { std::hint::black_box(ColumnMoments::of(x.view(), None)); }));
    let a = Mat::from_fn(2000, 2000, |_, _| uniform(&mut rng) - 0.5);
    println!("gemm 2000^3 1 thread {:.3} s, parallel {:.3} s", best(|| { std::hint::black_box(matmul(a.view(), a.view())); }), best(|| { std::hint::black_box(matmul_parallel(a.view(), a.view())); }));
    let (p, q) = (vec![1.1; 1000], vec![0.9; 1000]);
    let t = best(|| for _ in 0..100_000 { std::hint::black_box(dot(std::hint::black_box(&p), &q)); }); println!("dot 1000: {:.1} GFLOP/s", 2e8 / t / 1e9);
    let t = best(|| for _ in 0..100_000 { std::hint::black_box(sq_dist(std::hint::black_box(&p), &q)); }); println!("sq_dist 1000: {:.1} GFLOP/s", 3e8 / t / 1e9);
    let t = best(|| for _ in 0..10_000_000 { std::hint::black_box(dot(std::hint::black_box(&p[..10]), &q[..10])); }); println!("dot 10: {:.1} ns", t * 100.0);
    let e0: Vec<f64> = (0..4096).map(|i| (i as f64) * 0.01 - 20.0).collect(); let mut e = e0.clone();
    let t = best(|| for _ in 0..1000 { e.copy_from_slice(&e0); exp_slice(&mut e); std::hint::black_box(&e); }); println!("exp_slice {:.2} ns each", t / 4.096e6 * 1e9);
    let t = best(|| for _ in 0..1000 { e.copy_from_slice(&e0); e.iter_mut().for_each(|v| *v = v.exp()); std::hint::black_box(&e); }); println!("std exp {:.2} ns each", t / 4.096e6 * 1e9);
    let t = best(|| for _ in 0..1000 { e.copy_from_slice(&e0); sigmoid_slice(&mut e); std::hint::black_box(&e); }); println!("sigmoid_slice {:.2} ns each", t / 4.096e6 * 1e9);
    let s = gram_blocked(Mat::from_fn(1500, 1000, |_, _| normal(&mut rng)).view());
    println!("eigh 1000 {:.3} s", best(|| { std::hint::black_box(eigh(&s)); }));
    let s3 = gram_blocked(Mat::from_fn(3500, 3000, |_, _| normal(&mut rng)).view());
    println!("cholesky 3000 {:.3} s", best(|| { std::hint::black_box(Cholesky::new(&s3)); }));
    let t5 = x.view().rows(0..5000).to_mat(); let t5 = Mat::from_fn(5000, 300, |i, j| t5.row(i)[j % 200] + (i * j % 7) as f64 * 0.01 * (j / 200) as f64 * (i as f64).sin());
    println!("svd 5000x300 {:.3} s; randomized k=10 {:.3} s", best(|| { std::hint::black_box(svd(t5.view())); }), best(|| { std::hint::black_box(randomized_svd(t5.view(), 10, 10, 4, &mut rng_for(0, 0))); }));
}
