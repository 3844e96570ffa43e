# A roofline with its data. Draw it again: gnuplot roofline_gelu.gp
if (!exists("svg")) svg = "roofline_gelu.svg"
if (!exists("png")) png = "roofline_gelu.png"
set encoding utf8
$points << EOD
0.662838 7.17325e+10
0.662838 6.98822e+11
0.662838 1.69799e+12
0.662838 1.85231e+12
1.36521 6.41419e+10
1.36521 7.35044e+11
1.36521 2.45709e+12
1.36521 2.84275e+12
1.44787 6.56345e+10
1.44787 7.34089e+11
1.44787 2.46335e+12
1.44787 2.87604e+12
2.18484 5.12876e+12
1.44787 2.85638e+12
0.702966 7.88005e+10
0.702966 7.48451e+11
0.702966 1.70321e+12
0.702966 1.83983e+12
1.53552 7.67412e+10
1.53552 9.14326e+11
1.53552 2.90285e+12
1.53552 3.41504e+12
1.62848 8.14294e+10
1.62848 8.45479e+11
1.62848 2.5615e+12
1.62848 3.41942e+12
2.31711 5.93847e+12
1.62848 3.40999e+12
0.745524 7.51989e+10
0.745524 7.27801e+11
0.745524 1.69555e+12
0.745524 1.83944e+12
1.72707 7.83161e+10
1.72707 8.97935e+11
1.72707 3.00278e+12
1.72707 3.45466e+12
1.83163 7.71688e+10
1.83163 8.8209e+11
1.83163 2.95117e+12
1.83163 3.40984e+12
2.45739 5.97409e+12
1.83163 3.41038e+12
0.52396 8.06745e+10
0.52396 6.9036e+11
0.52396 1.32482e+12
0.52396 1.40704e+12
0.853066 8.16044e+10
0.853066 7.44243e+11
0.853066 1.50559e+12
0.853066 1.60605e+12
0.904712 8.25865e+10
0.904712 7.36869e+11
0.904712 1.51075e+12
0.904712 1.617e+12
0.555681 7.75442e+10
0.555681 5.18734e+11
0.555681 8.49747e+11
0.555681 8.92043e+11
0.959483 7.79609e+10
0.959483 7.87336e+11
0.959483 1.61164e+12
0.959483 1.72539e+12
1.01757 7.91316e+10
1.01757 7.76023e+11
1.01757 1.62553e+12
1.01757 1.72896e+12
0.589322 8.02517e+10
0.589322 7.55479e+11
0.589322 1.71815e+12
0.589322 1.85344e+12
1.07918 7.7946e+10
1.07918 9.22644e+11
1.07918 2.99763e+12
1.07918 3.45051e+12
1.14451 7.90646e+10
1.14451 9.07806e+11
1.14451 2.97181e+12
1.14451 3.42542e+12
0.625 7.96747e+10
0.625 7.54558e+11
0.625 1.72138e+12
0.625 1.85883e+12
1.2138 7.92325e+10
1.2138 9.04237e+11
1.2138 3.08895e+12
1.2138 3.5831e+12
1.28728 8.1836e+10
1.28728 9.16272e+11
1.28728 3.08104e+12
1.28728 3.60623e+12
2.06012 5.91851e+12
1.28728 3.59016e+12
EOD
$lines << EOD
0.1 8.0044e+11
7.88194 6.30902e+13


0.1 3.01396e+11
20.9327 6.30902e+13


0.1 3.1167e+11
20.2426 6.30902e+13


7.88194 6.30902e+13
100 6.30902e+13


0.49405 1.94794e+12
0.790659 1.94794e+12


0.80437 3.89588e+12
1.94252 3.89588e+12


1.94252 7.01258e+12
2.60616 7.01258e+12


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [0.1:100]
set yrange [2e+10:2e+14]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of gelu: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 0.108047, 1.02985e+12 left rotate by 28.5 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 0.1179, 2.8817e+11 left rotate by 28.5 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 0.108047, 4.00998e+11 left rotate by 28.5 noenhanced textcolor rgb "#303030" font ",11" front
set label 'fma f32 63.1 TFLOP/s' at 93.5587, 7.35578e+13 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 7-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.52 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::26-1::26-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::27-1::27-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.52 linewidth 1.8 notitle, \
  $points every ::28-1::28-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::29-1::29-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::30-1::30-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::31-1::31-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::32-1::32-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::33-1::33-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::34-1::34-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::35-1::35-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::36-1::36-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::37-1::37-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::38-1::38-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::39-1::39-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::40-1::40-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::41-1::41-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.52 linewidth 1.8 notitle, \
  $points every ::42-1::42-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::43-1::43-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::44-1::44-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::45-1::45-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::46-1::46-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::47-1::47-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::48-1::48-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::49-1::49-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::50-1::50-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::51-1::51-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::52-1::52-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::53-1::53-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::57-1::57-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::66-1::66-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::67-1::67-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::68-1::68-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::69-1::69-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::70-1::70-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::71-1::71-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::72-1::72-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::73-1::73-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::74-1::74-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::75-1::75-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::76-1::76-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::77-1::77-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::78-1::78-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::79-1::79-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::80-1::80-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::81-1::81-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::82-1::82-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::83-1::83-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::84-1::84-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::85-1::85-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::86-1::86-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::87-1::87-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::88-1::88-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::89-1::89-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::90-1::90-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::91-1::91-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.52 linewidth 1.0 notitle, \
  $points every ::92-1::92-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cub', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.98 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.16 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.34 linewidth 1.6 title 'xlarge', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.52 linewidth 1.6 title 'gpt2_mlp', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.70 linewidth 1.6 title 'bert_large_mlp'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
